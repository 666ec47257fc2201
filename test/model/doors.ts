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
pipeline/syntax:
pipeline/captures: pipeline/syntax
pipeline/csv: pipeline/syntax
pipeline: catalogue coverage pipeline/captures pipeline/csv pipeline/syntax
plan: catalogue coverage pipeline
fetch/rate:
fetch/limits: pipeline pipeline/syntax
fetch/transport:
fetch/stream: fetch/transport
fetch/http: catalogue fetch/limits fetch/rate fetch/transport pipeline pipeline/syntax
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
land/delta: catalogue coverage land/rule land/storage
land/quarantine: catalogue coverage land/delta land/rule land/storage
land/rows: catalogue coverage land/delta land/quarantine land/rule land/storage
land: catalogue catalogue/rpc catalogue/stream coverage land/delta land/quarantine land/rows
    land/rule land/storage pipeline pipeline/csv plan
land/stream: catalogue catalogue/stream land land/lock land/storage
land/replay: catalogue coverage land land/delta land/quarantine land/rows land/rule land/storage
land/verify: catalogue coverage land land/delta land/rule land/storage
curate/heights: coverage land/storage
curate/rule: catalogue coverage land land/delta land/rows land/storage
curate: catalogue coverage curate/heights curate/rule land land/delta land/storage land/verify
load/query: land/storage pipeline/syntax
load/tables: curate/rule land land/lock land/replay land/reports land/storage
load/checks: catalogue coverage curate curate/heights curate/rule land land/delta land/rows
    land/storage load/query
load: catalogue coverage curate curate/rule land land/quarantine land/rows land/storage load/query
    load/tables
export/formats: land/storage load/query
export: export/formats land/storage load/query
export/notebook: pipeline/syntax
export/html:
export/report: export/html load/query
run/shared-key: fetch/limits fetch/rate land/lock land/storage
run/submit: catalogue fetch/http land land/delta land/rows land/storage pipeline/csv
    pipeline/syntax
run/maintain: catalogue coverage curate land land/delta land/quarantine land/rows land/rule
    land/storage land/verify pipeline run/submit
run/alerts/rules: land/lock land/reports pipeline pipeline/syntax
run/alerts/deliver: fetch/http fetch/transport pipeline run/alerts/rules
run/alerts: land/lock land/reports land/storage pipeline run/alerts/deliver run/alerts/rules
run/capture: fetch/stream fetch/transport land land/stream pipeline/captures
run/pending: catalogue catalogue/rpc catalogue/rpc/methods fetch/rpc land land/storage pipeline
    pipeline/captures pipeline/csv run/capture
run: catalogue coverage curate/rule fetch fetch/chain fetch/corroborate fetch/http fetch/limits
    fetch/price fetch/walk land land/lock land/quarantine land/rows land/rule land/storage
    land/verify load load/checks pipeline pipeline/syntax plan run/capture run/maintain run/submit
run/job: catalogue fetch fetch/http fetch/limits fetch/transport land land/storage pipeline
    pipeline/captures pipeline/csv pipeline/syntax run run/capture run/pending run/shared-key
run/lake: coverage curate land land/lock land/quarantine land/replay land/reports land/storage
    land/verify load load/query pipeline pipeline/syntax run/job run/maintain
run/metrics: coverage fetch land land/reports land/storage pipeline run run/job run/lake
run/shell: export export/report fetch fetch/http fetch/limits land land/lock land/reports
    land/storage land/verify load pipeline run run/alerts run/alerts/deliver run/alerts/rules
    run/job run/lake run/metrics run/shared-key
cli/terminal: catalogue coverage fetch fetch/http land land/storage land/verify load/query
    pipeline/syntax plan run run/maintain run/shell
cli/log: cli/terminal land/storage run/job
cli/terminal/limits: cli/terminal land/reports land/storage pipeline/syntax run/shared-key
cli/job: cli/terminal pipeline pipeline/syntax run/job run/lake run/shell
cli/verbs/query/shell: cli/terminal land/storage load/query run/shell
cli/verbs/query: cli/job cli/terminal cli/verbs/query/shell export land/storage load/query
    pipeline/syntax run/job run/lake run/shell
cli/verbs/notebook: cli/job cli/terminal export export/notebook land/storage load/query
    pipeline/syntax run/lake run/shell
cli/verbs/doctor: catalogue cli/terminal coverage fetch fetch/chain fetch/http fetch/stream
    fetch/transport fetch/walk land land/storage land/stream pipeline pipeline/captures
    pipeline/syntax plan run/job run/lake run/shell
cli/verbs/init: cli/job cli/terminal land/storage pipeline pipeline/csv pipeline/syntax run/job
    run/shell
cli/verbs/report: cli/job cli/terminal export/report land/reports land/storage pipeline/syntax
    run/lake run/shell
cli/verbs/status: cli/job cli/terminal cli/terminal/limits land/lock land/reports land/storage
    pipeline/syntax run/job run/lake run/shared-key run/shell
cli/verbs: cli/job cli/terminal cli/terminal/limits curate curate/rule export export/formats
    fetch/http land land/lock land/reports land/storage land/verify load load/checks load/query
    pipeline pipeline/syntax plan run run/alerts run/alerts/deliver run/alerts/rules run/job
    run/lake run/metrics run/shell
cli/verbs/schedule: cli/job cli/terminal cli/verbs land/storage pipeline pipeline/syntax run
    run/job run/lake run/metrics run/shell
cli/verbs/follow: cli/job cli/terminal pipeline/syntax run/job run/metrics run/shell
cli/verbs/maintain: cli/job cli/terminal land land/lock land/storage load pipeline pipeline/syntax
    run/job run/lake run/maintain run/shell
cli/verbs/contract: cli/job cli/terminal fetch/chain fetch/limits land land/storage load load/query
    pipeline/syntax run run/job run/shell run/submit
cli/verbs/quarantine: cli/job cli/terminal land land/lock land/quarantine land/replay land/storage
    load/query pipeline/syntax run/job run/lake run/shell
cli: cli/job cli/log cli/terminal cli/verbs cli/verbs/contract cli/verbs/doctor cli/verbs/follow
    cli/verbs/init cli/verbs/maintain cli/verbs/notebook cli/verbs/quarantine cli/verbs/query
    cli/verbs/report cli/verbs/schedule cli/verbs/status land/storage pipeline/syntax run/job
    run/shell
service/simulated/primitives:
service/protocol: catalogue coverage
service/settings: catalogue fetch/http pipeline/csv pipeline/syntax service/protocol
    service/simulated/primitives
service/verification: catalogue fetch/transport service/protocol
service/simulated/primary: catalogue service/simulated/primitives
service/simulated/bridge: service/simulated/primary service/simulated/primitives
service/simulated: catalogue service/simulated/bridge service/simulated/primary
    service/simulated/primitives
service/explorer/facts: catalogue land/storage load/query
service/explorer/pages: export/html load/query service/explorer/facts
service/explorer: pipeline/syntax service/explorer/facts service/explorer/pages service/protocol
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
service/verb: cli/job cli/terminal cli/verbs cli/verbs/contract fetch/http land/storage load/query
    pipeline pipeline/syntax run/job run/lake run/shell service/answer service/explorer
    service/faults service/lake service/memory service/node service/protocol service/server
    service/settings service/simulated service/stream service/verification
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
  'src/pipeline/syntax/',
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
  'src/export/html/',
];

/** Rooms below the catalogue with one entry per file. They import the catalogue alone. */
export const ENTRY_ROOM = /^catalogue\/(datasets|mainchain|zone)(\/|$)/;
