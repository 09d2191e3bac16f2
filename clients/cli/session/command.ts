// `annals session`
import { Failed } from '../failures.js'
import { group, remoteCommand } from '../remote/command.js'
import { required, text, texts } from '../remote/flags.js'
import { fields, table } from '../remote/output.js'

interface Session {
  readonly ID: string
  readonly Name: string
  readonly Node: string
  /** Nanoseconds. */
  readonly LockDelay: number
  readonly Behavior: string
  readonly TTL: string
  readonly Namespace?: string
  readonly NodeChecks?: readonly string[] | null
  readonly ServiceChecks?: readonly { readonly ID: string }[] | null
  readonly CreateIndex: number
}

const NANOSECONDS = 1e9

const asText = (session: Session): string => {
  const { ID, Name, Namespace, Node, Behavior, TTL, NodeChecks, CreateIndex } = session
  return fields({
    ID,
    Name,
    Namespace,
    Node,
    Behavior,
    TTL: TTL || 'none',
    LockDelay: `${session.LockDelay / NANOSECONDS}s`,
    NodeChecks,
    ServiceChecks: session.ServiceChecks?.map(({ ID: id }) => id),
    CreateIndex
  })
}

const listText = (sessions: readonly Session[]): string =>
  table(
    ['ID', 'Node', 'Behavior', 'TTL', 'Name'],
    sessions.map(session => ({ ...session, TTL: session.TTL || 'none' }))
  )

const create = remoteCommand({
  summary: 'Make a session, for locks.',
  about: 'With --ttl it ends when it is not renewed in time. `annals lock` makes and renews its own.',
  examples: [
    'annals session create -name deploy -ttl 30s',
    'annals session create -behavior delete -lock-delay 0s'
  ],
  flags: {
    name: text('text', 'what it is for'),
    node: text('name', 'node on which it lives (default: that of the server)'),
    ttl: text('duration', 'it ends when it is not renewed for so long: 10s to 24h'),
    lockDelay: text('duration', 'how long its locks stay closed after its end (default: 15s)'),
    behavior: text('what', 'what becomes of the keys that it holds (default: release)', {
      choices: ['release', 'delete']
    }),
    nodeCheck: texts('id', 'check of the node that ends it by failing (default: serfHealth)'),
    serviceCheck: texts('id', 'check of a service that ends it by failing')
  },
  run: async ({ write, out, flags }) => {
    const { name, node, ttl, lockDelay, behavior, nodeCheck, serviceCheck } = flags
    const body = {
      Name: name,
      Node: node,
      TTL: ttl,
      LockDelay: lockDelay,
      Behavior: behavior,
      NodeChecks: nodeCheck.length === 0 ? undefined : nodeCheck,
      ServiceChecks: serviceCheck.length === 0 ? undefined : serviceCheck.map(ID => ({ ID }))
    }
    out.show(await write<{ readonly ID: string }>('PUT', '/v1/session/create', body), ({ ID }) => ID)
  }
})

const which = { id: required('ID of the session') }

const show = remoteCommand({
  summary: 'Show a session.',
  examples: ['annals session read 71143eea-f1ac-44d0-b959-0d2ff1b0e0a4'],
  args: which,
  run: async ({ get, out, args }) => {
    const answer = await get(`/v1/session/info/${encodeURIComponent(args.id)}`)
    const [session] = await answer.json<readonly Session[]>()
    if (!session) throw new Failed(`there is no session "${args.id}"`)
    out.show(session, asText)
  }
})

const renew = remoteCommand({
  summary: 'Renew a session for another TTL.',
  examples: ['annals session renew 71143eea-f1ac-44d0-b959-0d2ff1b0e0a4'],
  args: which,
  run: async ({ send, out, args }) => {
    const answer = await send('PUT', `/v1/session/renew/${encodeURIComponent(args.id)}`)
    const [session] = await answer.json<readonly Session[]>()
    if (session) out.show(session, asText)
  }
})

const destroy = remoteCommand({
  summary: 'End a session, and give back the locks that it holds.',
  examples: ['annals session destroy 71143eea-f1ac-44d0-b959-0d2ff1b0e0a4'],
  args: which,
  run: async ({ send, out, args }) => {
    await send('PUT', `/v1/session/destroy/${encodeURIComponent(args.id)}`)
    out.done(`Session "${args.id}" ended`)
  }
})

const list = remoteCommand({
  summary: 'List sessions.',
  examples: ['annals session list', 'annals session list -node web-1'],
  flags: { node: text('name', 'only those of this node') },
  run: async ({ read, out, flags }) => {
    const { node } = flags
    const path = node === undefined ? '/v1/session/list' : `/v1/session/node/${encodeURIComponent(node)}`
    out.show(await read<readonly Session[]>(path), listText)
  }
})

export const session = group({
  summary: 'Make sessions, and end them: who holds locks.',
  examples: [
    'annals session create -name deploy -ttl 30s',
    'annals kv put -acquire -session=71143eea-f1ac-44d0-b959-0d2ff1b0e0a4 deploy/lock me',
    'annals session list'
  ],
  commands: { create, read: show, renew, destroy, list }
})
