// Documents the configuration keys: docs/reference/settings.md and the help of `annals serve`.
import { keys, type Key } from './keys.js'

const INTRODUCTION = `# Configuration

\`annals serve --config FILE\` reads a JSON file, or HCL in one that ends with \`.hcl\`; the environment comes after it, then flags; later wins. A key that is
unknown or has a wrong value is an error that names it. What is not given has the default below. This page is made from
\`server/settings/schema.ts\`, and a test compares them (\`ANNALS_TEST_WRITE_DOCS=1 npm test\` rewrites it).

- In the file, a dotted key is an object in an object: \`"acl": { "default_policy": "deny" }\`.
- In the environment, lists are separated by commas, maps are JSON, and an empty variable counts as not given.
  \`ANNALS_CONFIG\` names the file when \`--config\` does not.
- \`--agent-config PATH…\` takes the files or folders of an agent of Consul before all that: keys that mean something
  here count, and the others are named at the start (\`annals config convert\` prints what they become).
- Durations are written as \`30s\`, \`1m30s\`, \`250ms\`, \`24h\` (units \`ns us ms s m h\`).
- Secrets and maps have no flag: others on the machine could read it.
- SIGHUP and \`PUT /v1/agent/reload\` have the server read the same file, environment and flags again. Keys that say
  "Reread while the server runs" then take effect. The log names the others that have changed: they need a restart. A
  configuration that cannot be used changes nothing, and the error says why.

\`\`\`json
{
  "datacenter": "dc1",
  "node_name": "server-1",
  "data_dir": "./data",
  "bind": "127.0.0.1",
  "ports": { "http": 8500, "dns": 8600 },
  "acl": { "enabled": true, "default_policy": "deny" }
}
\`\`\`
`

export const defaultText = (key: Key): string =>
  key.notes.otherwise ?? (typeof key.value === 'string' ? key.value : JSON.stringify(key.value))

/** Groups the keys by section, with top-level keys first. */
export const keyGroups = (): ReadonlyMap<string, readonly Key[]> => {
  const groups = new Map<string, Key[]>()
  for (const key of keys) {
    const name = key.path.includes('.') ? key.path.slice(0, key.path.indexOf('.')) : ''
    groups.set(name, [...(groups.get(name) ?? []), key])
  }
  return groups
}

const code = (text: string): string => `\`${text}\``

const defaultCell = (key: Key): string => key.notes.otherwise ?? code(defaultText(key))

const entry = (key: Key): string => {
  const flag = key.flag === undefined ? '' : `, flag ${code(`--${key.flag}`)}`
  const reread = key.notes.reloads === true ? ' Reread while the server runs.' : ''
  return [
    `- **${code(key.path)}** (${key.notes.kind}; default: ${defaultCell(key)}): ${key.description}`,
    `  Must ${key.notes.rule}. Environment ${code(key.env)}${flag}.${reread}`
  ].join('\n')
}

/** Returns docs/reference/settings.md before formatting. */
export const configurationPage = (): string =>
  [
    INTRODUCTION,
    ...[...keyGroups()].map(([name, group]) =>
      [`## ${name === '' ? 'The server' : code(name)}`, '', ...group.map(entry), ''].join('\n')
    )
  ].join('\n')
