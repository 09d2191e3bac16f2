// `annals history`
import { remoteCommand } from '../remote/command.js'
import { on, text, whole } from '../remote/flags.js'
import { safe } from '../remote/output.js'
import { patchText, type PatchOperation } from '../remote/patch-text.js'
import { originText } from '../origin-text.js'
import { readablePatch } from './patch-view.js'
import { targetArguments, findTarget } from './history-targets.js'

interface Version {
  readonly Index: number
  readonly Time?: string
  readonly Type: string
  /** Absent for who may not know. */
  readonly By?: Parameters<typeof originText>[0]
  readonly Patch?: readonly PatchOperation[]
  readonly Erased?: true
  readonly Withheld?: true
  /** Earlier versions have been pruned. */
  readonly Base?: true
}

const noteOf = ({ Erased, Withheld, Base }: Version): string => {
  if (Erased) return '  (erased)'
  if (Withheld) return '  (withheld)'
  return Base ? '  (what was before is no longer kept)' : ''
}

const versionText = (topic: string, version: Version): string => {
  const { Index, Time = '', Type, By, Patch = [] } = version
  const head = safe(`${Index}  ${Time}  ${Type}${By ? `  ${originText(By)}` : ''}${noteOf(version)}`)
  const patch = patchText(readablePatch(topic, Patch))
  return patch === '' ? head : `${head}\n${patch.replaceAll(/^/gm, '    ')}`
}

export const history = remoteCommand({
  summary: 'Show the versions of a resource, newest first, with time, caller, reason and changes.',
  about: 'A line for each difference from the version before: + added, - removed, ~ changed.',
  examples: [
    'annals history kv web/port',
    'annals history policy deploys',
    'annals history -limit=100 config service-router/web',
    'annals history -node=web-1 service web'
  ],
  args: targetArguments,
  flags: {
    limit: whole('number', 'so many versions at most (default: 10, at most 1000)'),
    before: whole('index', 'only versions before this index: the next older page'),
    after: whole('index', 'only versions behind this index, the oldest of them'),
    node: text('name', 'of a service or check: on which node'),
    payload: on('with the whole of each version; needs --json')
  },
  run: async ({ read, out, args, flags }) => {
    const { topic, key } = await findTarget(read, args)
    const { limit, before, after, node, payload } = flags
    const query = { topic, key, limit, before, after, node, payload }
    out.show(await read<readonly Version[]>('/v1/event/history', query), versions =>
      versions.map(version => versionText(topic, version)).join('\n')
    )
  }
})
