import type { Schemas } from '../../typescript/typed/index.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { CONTENT, contentOf } from '../remote/content.js'
import { required, optional, text } from '../remote/flags.js'
import { table } from '../remote/output.js'
import { groupCommands, redeliver } from './groups.js'
import { eventsTail } from './tail.js'

const cursors = showCommand({
  summary: 'List the cursors of readers and webhooks with their positions.',
  examples: ['annals events cursors'],
  path: '/v1/event/cursors',
  parameters: () => ({}),
  asText: all =>
    table(
      ['Name', 'Topics', 'Index', ['Behind', 'LagCommits'], ['Seconds', 'LagSeconds'], 'Owner', 'URL'],
      all
    )
})

const readers = showCommand({
  summary: 'List the open event streams.',
  examples: ['annals events readers', 'annals events readers --json   includes ended streams'],
  path: '/v1/event/subscriptions',
  parameters: () => ({}),
  asText: ({ Open }) =>
    table([['Token', 'AccessorID'], 'Address', 'Wire', 'Topics', ['Index', 'LastIndex'], 'State'], Open)
})

const fire = remoteCommand({
  summary: 'Fire a user event, which is not in the log.',
  examples: ['annals events fire deploy v2.1', 'annals events fire -service=web restart'],
  args: { name: required('name of the event'), payload: optional(`payload; ${CONTENT}`) },
  flags: {
    node: text('pattern', 'only for nodes with a matching name'),
    service: text('pattern', 'only for nodes with a matching service'),
    tag: text('pattern', 'only for services with a matching tag')
  },
  run: async ({ send, out, args, flags, console }) => {
    const body = new Uint8Array(await contentOf(args.payload ?? '', console))
    const { node, service, tag } = flags
    const query = { node, service, tag }
    const path = `/v1/event/fire/${encodeURIComponent(args.name)}`
    const answer = await send('PUT', path, { query, body })
    out.show(await answer.json<Schemas['UserEvent']>(), ({ ID }) => `Event ID: ${ID}`)
  }
})

export const events = group({
  summary: 'Follow the event stream, and show its readers.',
  examples: ['annals events tail', 'annals events tail -topic KV:web/ -meta', 'annals events cursors'],
  commands: { tail: eventsTail, cursors, group: groupCommands, redeliver, readers, fire }
})
