import 'reflect-metadata'
import { Option, type Command } from 'commander'
import * as Type from 'typebox'
import { loadSettings } from '../settings/load.js'
import { defaultText, keyGroups, keys, type Key } from '../settings/keys.js'
import { LiveSettings } from '../settings/settings.js'
import { fromAgent, ignoredKeyLines } from '../settings/from-agent.js'
import type { Console } from '../../clients/cli/console.js'

const DESCRIPTION = `Run a server in the foreground. It ends on SIGTERM, SIGINT or SIGQUIT after the running requests, and rereads its configuration on SIGHUP.

Later sources take precedence: defaults, the files of --agent-config, the file of --config (JSON, or HCL if it ends with .hcl),
ANNALS_* variables, flags. The server creates a missing data folder. Only one server can use a data folder at a time.
docs/reference/settings.md has the rule of each key.`

const EXAMPLES = `
Examples:
  annals serve --data-dir /var/lib/annals --bind 0.0.0.0 --http-port 8500
  ANNALS_ACL_DEFAULT_POLICY=allow annals serve
  annals serve --config annals.json --log-level debug

annals.json:
  { "datacenter": "dc1", "data_dir": "/var/lib/annals", "ports": { "http": 8500, "dns": 8600 },
    "acl": { "enabled": true, "default_policy": "deny" } }`

const option = (key: Key, group: string): Option => {
  const about = `${key.description} (${key.env}; default: ${defaultText(key)})`
  const value = key.notes.kind.startsWith('one of') ? 'name' : key.notes.kind.replaceAll(' ', '-')
  const argument = Type.IsBoolean(key.schema) ? '[true|false]' : `<${value}>`
  return new Option(`--${key.flag} ${argument}`, about).helpGroup(group)
}

/** Lists the keys without a flag. */
const flagless = (): string =>
  [
    '\nOnly in the file or the environment (maps and secrets):',
    ...keys
      .filter(key => key.flag === undefined)
      .map(key => `  ${key.path} (${key.env})\n      ${key.description} Default: ${defaultText(key)}`)
  ].join('\n')

/** By attribute name. A boolean flag without a value is `true`. */
type Options = Readonly<Record<string, string | true | undefined>> & {
  readonly config?: string
  readonly agentConfig?: readonly string[]
}

/** Adds the options of all settings. Returns a function that loads the settings from them. */
export const withSettings = (command: Command, { env, err }: Console): (() => LiveSettings) => {
  command
    .option('--config <file>', 'JSON or HCL file with the configuration (ANNALS_CONFIG)')
    .option(
      '--agent-config <path...>',
      'files or folders of the configuration of a Consul agent; the server names keys that it ignores'
    )
  const flags: (readonly [attribute: string, flag: string])[] = []
  for (const [name, group] of keyGroups()) {
    for (const key of group) {
      if (key.flag === undefined) continue
      const added = option(key, name === '' ? 'Options:' : `Options of ${name}:`)
      command.addOption(added)
      flags.push([added.attributeName(), key.flag])
    }
  }
  return () => {
    const options = command.opts<Options>()
    const given = Object.fromEntries(flags.map(([attribute, flag]) => [flag, options[attribute]?.toString()]))
    const { agentConfig = [] } = options
    if (agentConfig.length > 0) err.write(ignoredKeyLines(fromAgent(agentConfig)))
    return new LiveSettings(() => {
      const agent = agentConfig.length > 0 ? fromAgent(agentConfig).given : []
      return loadSettings({ agent, file: options.config, env, flags: given })
    })
  }
}

export const buildServe = (command: Command, console: Console): void => {
  command.description(DESCRIPTION)
  const settingsOf = withSettings(command, console)
  command.addHelpText('after', flagless() + '\n' + EXAMPLES)
  command.action(async () => {
    const live = settingsOf()
    const { serve } = await import('./run-server.js')
    await serve(live)
  })
}
