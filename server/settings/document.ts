// Documents the configuration keys: docs/reference/settings.md and the help of `annals serve`.
import { keys, type Key } from './keys.js'

const INTRODUCTION = `# Settings

This page lists every setting of a server, with its rule, default, environment variable and flag. \`annals serve --help\` prints the same.

\`annals serve --config FILE\` reads JSON, or HCL from a file that ends with \`.hcl\`. The environment overrides the file, and flags override both. An unknown key or a wrong value is an error that names it.

- In the file, a dotted key is an object in an object: \`"acl": { "default_policy": "deny" }\`.
- In the environment, lists are separated by commas, and maps are JSON. An empty variable has no effect. \`ANNALS_CONFIG\` names the file if \`--config\` does not.
- \`--agent-config PATH…\` reads files or folders of a Consul agent first. Keys without a meaning are named at the start. \`annals config convert\` prints the result.
- Durations are written as \`30s\`, \`1m30s\`, \`250ms\`, \`24h\` (units \`ns us ms s m h\`).
- Secrets and maps have no flag, because other users of the machine could read it.
- SIGHUP and \`PUT /v1/agent/reload\` read file, environment and flags again. Keys with "Reread while the server runs" take effect. The log names changed keys that need a restart. An invalid configuration changes nothing.

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
