// `annals events`
import { group, remoteCommand } from '../remote/command.js'
import { CONTENT, contentOf } from '../remote/content.js'
import { required, optional, text } from '../remote/flags.js'
import { table } from '../remote/output.js'
import { eventsTail } from './tail.js'

interface Cursor {
  readonly Name: string
  readonly Topics: readonly string[]
  readonly Index: number
  readonly LagCommits: number
  readonly LagSeconds: number
  readonly Owner: string
  readonly URL?: string
}

const cursors = remoteCommand({
  summary: 'List the cursors of readers and webhooks: how far each has come.',
  examples: ['annals events cursors'],
  run: async ({ read, out }) =>
    out.show(await read<readonly Cursor[]>('/v1/event/cursors'), all =>
      table(
        ['Name', 'Topics', 'Index', ['Behind', 'LagCommits'], ['Seconds', 'LagSeconds'], 'Owner', 'URL'],
        all
      )
    )
})

interface Reader {
  readonly AccessorID: string
  readonly Address: string
  readonly Wire: string
  readonly Topics: readonly string[]
  readonly LastIndex: number
  readonly State: string
}

const readers = remoteCommand({
  summary: 'List who reads the event stream now.',
  examples: ['annals events readers', 'annals events readers --json   also of those that have ended'],
  run: async ({ read, out }) =>
    out.show(await read<{ readonly Open: readonly Reader[] }>('/v1/event/subscriptions'), ({ Open }) =>
      table([['Token', 'AccessorID'], 'Address', 'Wire', 'Topics', ['Index', 'LastIndex'], 'State'], Open)
    )
})

const fire = remoteCommand({
  summary: 'Fire an event of your own, which is in no log.',
  examples: ['annals events fire deploy v2.1', 'annals events fire -service=web restart'],
  args: { name: required('name of the event'), payload: optional(`what it says; ${CONTENT}`) },
  flags: {
    node: text('pattern', 'only for nodes whose names match'),
    service: text('pattern', 'only for nodes with a service whose name matches'),
    tag: text('pattern', 'only for those services with a tag that matches')
  },
  run: async ({ send, out, args, flags, console }) => {
    const body = new Uint8Array(await contentOf(args.payload ?? '', console))
    const path = `/v1/event/fire/${encodeURIComponent(args.name)}`
    const { node, service, tag } = flags
    const answer = await send('PUT', path, { query: { node, service, tag }, body })
    out.show(await answer.json<{ readonly ID: string }>(), ({ ID }) => `Event ID: ${ID}`)
  }
})

export const events = group({
  summary: 'Follow what happens, and who follows it.',
  examples: ['annals events tail', 'annals events tail -topic KV:web/ -meta', 'annals events cursors'],
  commands: { tail: eventsTail, cursors, readers, fire }
})
