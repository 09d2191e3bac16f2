// `annals config read` and `annals config list`
import { remoteCommand } from '../remote/command.js'
import { optional, text } from '../remote/flags.js'
import { safe } from '../remote/output.js'
import { namedBy, naming, pathOf } from './entries.js'

export const configRead = remoteCommand({
  summary: 'Print a configuration entry, as JSON.',
  examples: ['annals config read -kind service-router -name web', 'annals config read proxy-defaults/global'],
  args: { entry: optional('KIND/NAME, in place of the flags') },
  flags: naming,
  run: async ({ read, out, flags, args }) => out.json(await read(pathOf(namedBy(flags, args.entry))))
})

interface Entry {
  readonly Kind: string
  /** The only entry of its kind may have none. */
  readonly Name?: string
}

export const configList = remoteCommand({
  summary: 'List the names of configuration entries.',
  examples: [
    'annals config list                        all, as KIND/NAME',
    'annals config list -kind service-router'
  ],
  flags: { kind: text('kind', 'only entries of this kind') },
  run: async ({ read, out, flags }) => {
    const { kind } = flags
    const path = kind === undefined ? '/v1/config/' : `/v1/config/${encodeURIComponent(kind)}`
    out.show(await read<readonly Entry[]>(path), entries =>
      entries.map(({ Kind, Name = Kind }) => safe(kind === undefined ? `${Kind}/${Name}` : Name)).join('\n')
    )
  }
})
