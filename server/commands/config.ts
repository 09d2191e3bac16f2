import { group } from '../../clients/cli/remote/command.js'
import {
  configList,
  configRead,
  configDelete,
  configDiff,
  configWrite,
  configEdit
} from '../../clients/cli/config/config-entries.js'
import type { Command } from 'commander'
import type { AgentSettings } from '../settings/from-agent.js'
import type { Console } from '../../clients/cli/console.js'

/** `annals config convert`. */
const ABOUT = `Convert the configuration of a Consul agent to that of a server: HCL or JSON files, or the .hcl and .json files of a folder. Later
files take precedence. Standard error lists ignored keys with the reason, and listeners that other machines reach without protection.
The output includes defaults that differ, such as ACLs that are off. It omits data_dir.`

const EXAMPLES = `
Examples:
  annals config convert /etc/consul.d > annals.json
  annals config convert consul.hcl secrets.json > annals.json && annals serve --config annals.json`

const LOOPBACK = '127.0.0.1'
const DEFAULT_PORT = 8500
const OFF = -1

const listeningOf = ({ given }: AgentSettings) => {
  const values = new Map(given.map(({ key, value }) => [key.path, value]))
  const address = (name: string): string => {
    const found = values.get(`addresses.${name}`) ?? values.get('bind')
    return typeof found === 'string' ? found : LOOPBACK
  }
  const port = (name: string, otherwise: number): number => Number(values.get(`ports.${name}`) ?? otherwise)
  return {
    addresses: { http: address('http'), https: address('https'), dns: address('dns') },
    ports: { http: port('http', DEFAULT_PORT), https: port('https', OFF), dns: port('dns', OFF) },
    acl: { enabled: values.get('acl.enabled') === true }
  }
}

const configConvert = (command: Command, { out, err }: Console): void => {
  command
    .summary('Convert the configuration of a Consul agent to that of a server.')
    .description(ABOUT)
    .argument('<path...>', 'files and folders')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: readonly string[]) => {
      // The other commands of the group do not need this module.
      const { fromAgent, ignoredKeyLines } = await import('../settings/from-agent.js')
      const { checkSettingValue, putSetting } = await import('../settings/setting-value.js')
      const { exposuresOf } = await import('../settings/listeners.js')
      const settings = fromAgent(paths)
      const tree = {}
      for (const setting of settings.given) {
        checkSettingValue(setting)
        putSetting(tree, setting.key.path, setting.value)
      }
      err.write(ignoredKeyLines(settings))
      for (const exposure of exposuresOf(listeningOf(settings))) err.write(`warning: ${exposure}\n`)
      out.write(`${JSON.stringify(tree, null, 2)}\n`)
    })
}

export const config = group({
  summary: 'Read, write, compare and delete configuration entries.',
  examples: [
    'annals config list',
    'annals config read -kind service-router -name web',
    'annals config write -dry-run web-router.hcl',
    'annals config write web-router.hcl'
  ],
  commands: {
    read: configRead,
    write: configWrite,
    edit: configEdit,
    delete: configDelete,
    list: configList,
    diff: configDiff,
    convert: configConvert
  }
})
