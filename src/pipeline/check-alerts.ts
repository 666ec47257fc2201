import { suggestion } from '../fault.ts';
import { asMapping } from '../json-in.ts';
import { CHANNEL_NAMES, channelNamed } from './alert-channels.ts';
import { ruleId } from './alert-settings.ts';
import type { Finding } from './syntax/schema-problems.ts';

/**
 * Checks that span several fields of `alerts`. They take the raw value and skip fields of the wrong
 * type, like `checkTogether`.
 */
export function checkAlerts(value: unknown): Finding[] {
  const alerts = asMapping(value);
  const destinations = asMapping(alerts['destinations']);
  return [
    ...Object.entries(destinations).flatMap(([name, source]) => destinationFindings(name, source)),
    ...ruleFindings(alerts['rules'], Object.keys(destinations)),
  ];
}

function destinationFindings(name: string, value: unknown): Finding[] {
  const destination = asMapping(value);
  const path = ['alerts', 'destinations', name];
  const kinds = CHANNEL_NAMES.filter((kind) => destination[kind] !== undefined);
  const findings: Finding[] = [];
  if (kinds.length !== 1) {
    findings.push({
      path,
      isOfKey: true,
      message: kinds.length === 0 ? 'has no kind' : `has ${kinds.join(' and ')}`,
      advice: `Give it one of ${CHANNEL_NAMES.join(', ')}.`,
    });
  }
  for (const name of kinds) {
    const settings = asMapping(destination[name]);
    findings.push(...(channelNamed(name).check?.(settings, [...path, name]) ?? []));
  }
  return findings;
}

function ruleFindings(value: unknown, destinations: readonly string[]): Finding[] {
  const rules = Array.isArray(value) ? value.map(asMapping) : [];
  const findings: Finding[] = [];
  const ids = new Set<string>();
  for (const [i, rule] of rules.entries()) {
    const { on, after, to } = rule;
    const path = ['alerts', 'rules', i];
    if (on === 'stale' && after === undefined) {
      const advice = 'Add it, as in { on: stale, after: 26h } for a job that runs every night.';
      findings.push({ path: [...path, 'on'], message: 'needs after beside it', advice });
    }
    if (on !== 'stale' && after !== undefined) {
      const message = 'has no effect on this condition';
      findings.push({ path: [...path, 'after'], isOfKey: true, message, advice: 'Remove it.' });
    }
    const id = ruleId(String(on), after === undefined ? undefined : String(after));
    if (ids.has(id)) {
      const advice = 'Keep one of the two, with the destinations of both.';
      findings.push({ path: [...path, 'on'], message: 'is the same rule as one above', advice });
    }
    ids.add(id);
    if (destinations.length === 0) {
      const advice = 'Add alerts.destinations.';
      findings.push({ path: [...path, 'on'], message: 'has no destination', advice });
    }
    for (const [at, name] of (Array.isArray(to) ? to : []).entries()) {
      if (typeof name !== 'string' || destinations.includes(name)) continue;
      const message = 'is not one of alerts.destinations';
      findings.push({ path: [...path, 'to', at], message, advice: suggestion(name, destinations) });
    }
  }
  return findings;
}
