/**
 * The rooms of src in the order of the stages, and the doors between them: a file imports files of
 * its own room, of the rooms named behind its room, and src/effects.ts and src/fault.ts. Every door
 * leads to a room further up. The rooms of the command line may import src/system.ts, too. Rooms of
 * the service come last, so src never imports it.
 */
const TABLE = `
catalogue:
catalogue/stream: catalogue
catalogue/rpc: catalogue
catalogue/rpc/methods: catalogue catalogue/rpc
coverage: catalogue
config:
pipeline/captures: config
pipeline: catalogue config coverage pipeline/captures
plan: catalogue coverage pipeline
fetch/rate:
fetch/limits: config pipeline
fetch/transport:
fetch/stream: fetch/transport
fetch/http: catalogue config fetch/limits fetch/rate fetch/transport pipeline
fetch/rpc: catalogue/rpc fetch/http fetch/limits fetch/rate fetch/transport
fetch/walk: catalogue coverage fetch/http pipeline
fetch/walk/heights: catalogue coverage fetch/http fetch/walk
fetch/walk/positions: catalogue coverage fetch/walk
fetch: catalogue coverage fetch/http fetch/limits fetch/rate fetch/rpc fetch/transport fetch/walk
    fetch/walk/heights fetch/walk/positions pipeline
fetch/chain: catalogue coverage fetch/http fetch/walk pipeline plan
fetch/corroborate: catalogue coverage fetch fetch/chain fetch/http fetch/walk fetch/walk/heights
fetch/price: catalogue coverage fetch/http fetch/walk pipeline plan
land/rule: coverage
land/storage: catalogue coverage
land/lock: land/storage
land/reports: land/lock land/storage
allowance: fetch/limits fetch/rate land/lock land/storage
land/delta: catalogue coverage land/rule land/storage
land/quarantine: catalogue coverage land/delta land/rule land/storage
land/rows: catalogue coverage land/delta land/quarantine land/rule land/storage
land: catalogue catalogue/rpc catalogue/stream config coverage land/delta land/quarantine land/rows
    land/rule land/storage pipeline plan
land/stream: catalogue catalogue/stream land land/lock land/storage
land/replay: catalogue coverage land land/delta land/quarantine land/rows land/rule land/storage
land/verify: catalogue coverage land land/delta land/rule land/storage
curate/heights: coverage land/storage
curate/rule: catalogue coverage land land/delta land/rows land/storage
curate: catalogue coverage curate/heights curate/rule land land/delta land/storage land/verify
submit: catalogue config fetch/http land land/delta land/rows land/storage
maintain: catalogue coverage curate land land/delta land/quarantine land/rows land/rule
    land/storage land/verify pipeline submit
load/query: config land/storage
load/tables: curate/rule land land/lock land/replay land/reports land/storage
load/checks: catalogue coverage curate curate/heights curate/rule land land/delta land/rows
    land/storage load/query
load: catalogue coverage curate curate/rule land land/quarantine land/rows land/storage load/query
    load/tables
export: land/storage load/query
notebook: config
html:
report: html load/query
alerts/rules: config land/lock land/reports pipeline
alerts/deliver: alerts/rules fetch/http fetch/transport pipeline
alerts: alerts/deliver alerts/rules land/lock land/reports land/storage pipeline
run/capture: fetch/stream fetch/transport land land/stream pipeline/captures
run/pending: catalogue catalogue/rpc catalogue/rpc/methods config fetch/rpc land land/storage
    pipeline pipeline/captures run/capture
run: catalogue config coverage curate/rule fetch fetch/chain fetch/corroborate fetch/http
    fetch/limits fetch/price fetch/walk land land/lock land/quarantine land/rows land/rule
    land/storage land/verify load load/checks maintain pipeline plan run/capture submit
run/job: allowance catalogue config fetch fetch/http fetch/limits fetch/transport land land/storage
    pipeline pipeline/captures run run/capture run/pending
run/lake: config coverage curate land land/lock land/quarantine land/replay land/reports
    land/storage land/verify load load/query maintain pipeline run/job
run/metrics: coverage fetch land land/reports land/storage pipeline run run/job run/lake
run/shell: alerts alerts/deliver alerts/rules allowance export fetch fetch/http fetch/limits land
    land/lock land/reports land/storage land/verify load pipeline report run run/job run/lake
    run/metrics
cli/terminal: catalogue config coverage fetch fetch/http land land/storage land/verify load/query
    maintain plan run run/shell
cli/log: cli/terminal land/storage run/job
cli/terminal/limits: allowance cli/terminal config land/reports land/storage
cli/job: cli/terminal config pipeline run/job run/lake run/shell
cli/verbs/query/shell: cli/terminal land/storage load/query run/shell
cli/verbs/query: cli/job cli/terminal cli/verbs/query/shell config export land/storage load/query
    run/job run/lake run/shell
cli/verbs/notebook: cli/job cli/terminal config export land/storage load/query notebook run/lake
    run/shell
cli/verbs/doctor: catalogue cli/terminal config coverage fetch fetch/chain fetch/http fetch/stream
    fetch/transport fetch/walk land land/storage land/stream pipeline pipeline/captures plan
    run/job run/lake run/shell
cli/verbs/init: cli/job cli/terminal config land/storage pipeline run/job run/shell
cli/verbs/report: cli/job cli/terminal config land/reports land/storage report run/lake run/shell
cli/verbs/status: allowance cli/job cli/terminal cli/terminal/limits config land/lock land/reports
    land/storage run/job run/lake run/shell
cli/verbs: alerts alerts/deliver alerts/rules cli/job cli/terminal cli/terminal/limits config
    curate curate/rule export fetch/http land land/lock land/reports land/storage land/verify load
    load/checks load/query pipeline plan run run/job run/lake run/metrics run/shell
cli/verbs/schedule: cli/job cli/terminal cli/verbs config land/storage pipeline run run/job
    run/lake run/metrics run/shell
cli/verbs/follow: cli/job cli/terminal config run/job run/metrics run/shell
cli/verbs/maintain: cli/job cli/terminal config land land/lock land/storage load maintain pipeline
    run/job run/lake run/shell
cli/verbs/contract: cli/job cli/terminal config fetch/chain fetch/limits land land/storage load
    load/query run run/job run/shell submit
cli/verbs/quarantine: cli/job cli/terminal config land land/lock land/quarantine land/replay
    land/storage load/query run/job run/lake run/shell
cli: cli/job cli/log cli/terminal cli/verbs cli/verbs/contract cli/verbs/doctor cli/verbs/follow
    cli/verbs/init cli/verbs/maintain cli/verbs/notebook cli/verbs/quarantine cli/verbs/query
    cli/verbs/report cli/verbs/schedule cli/verbs/status config land/storage run/job run/shell
service/simulated/primitives:
service/protocol: catalogue coverage
service/settings: catalogue config fetch/http service/protocol service/simulated/primitives
service/verification: catalogue fetch/transport service/protocol
service/simulated/primary: catalogue service/simulated/primitives
service/simulated/bridge: service/simulated/primary service/simulated/primitives
service/simulated: catalogue service/simulated/bridge service/simulated/primary
    service/simulated/primitives
service/explorer/facts: catalogue land/storage load/query
service/explorer/pages: html load/query service/explorer/facts
service/explorer: config service/explorer/facts service/explorer/pages service/protocol
service/answer: catalogue coverage fetch/http service/protocol service/settings
service/faults: catalogue service/answer service/protocol service/settings
service/memory: catalogue coverage service/protocol service/simulated
service/lake: catalogue coverage curate curate/rule fetch/walk land land/delta land/rows
    land/storage load/query service/answer service/memory service/protocol
service/node: catalogue/rpc catalogue/rpc/methods service/protocol service/simulated
    service/simulated/primitives
service/stream: catalogue service/memory service/node service/protocol service/simulated
service/openapi: catalogue catalogue/rpc catalogue/stream service/answer service/node
    service/protocol service/settings
service/server: catalogue service/answer service/faults service/node service/openapi
    service/protocol service/settings service/stream service/verification
service/verb: cli/job cli/terminal cli/verbs cli/verbs/contract config fetch/http land/storage
    load/query pipeline run/job run/lake run/shell service/answer service/explorer service/faults
    service/lake service/memory service/node service/protocol service/server service/settings
    service/simulated service/stream service/verification
service: cli service/verb
`;

/** The rooms in their order, each with the rooms it may import. */
export const DOORS: ReadonlyMap<string, readonly string[]> = new Map(
  TABLE.trim()
    .split(/\n(?! )/)
    .map((line) => {
      const [room = '', names = ''] = line.split(':');
      return [room, names.split(/\s+/).filter((name) => name !== '')];
    }),
);

/** Places in src that the service reads with: declarations, ranges, and an exported lake. */
export const READ_BY_SERVICE = [
  'src/catalogue/',
  'src/coverage/',
  'src/config/',
  'src/pipeline/',
  'src/curate/',
  'src/land/',
  'src/load/query/',
  'src/effects.ts',
  'src/fault.ts',
  // Exceptions: it checks the signatures that fetch writes, asks a node through the transport of
  // fetch, stores pending records as walks read them, and shares the style of other pages.
  'src/fetch/http/signature.ts',
  'src/fetch/transport/',
  'src/fetch/walk/pending-records.ts',
  'src/html/',
];

/** Rooms below the catalogue with one entry per file. They import the catalogue alone. */
export const ENTRY_ROOM = /^catalogue\/(datasets|mainchain|zone)(\/|$)/;
