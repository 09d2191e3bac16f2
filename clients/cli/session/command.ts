import type { Schemas } from '../../typescript/typed/index.js'
import { DELETION, deleteIfPresent, deletionFlags } from '../remote/deletion.js'
import { Failed, Missing } from '../console.js'
import { namesAt } from '../completion/sources.js'
import { group, remoteCommand } from '../remote/command.js'
import { required, text, texts } from '../remote/flags.js'
import { details, table, type Content } from '../remote/output.js'

const NANOSECONDS = 1e9

type Session = Schemas['Session']

const asText = (session: Session): string =>
  details(
    [
      'ID',
      'Name',
      'Namespace',
      'Node',
      'Behavior',
      'TTL',
      'LockDelay',
      'NodeChecks',
      'ServiceChecks',
      'CreateIndex'
    ],
    { ...session, TTL: session.TTL || 'none', LockDelay: `${session.LockDelay / NANOSECONDS}s` }
  )

const listText = (sessions: readonly Session[]): Content =>
  table(
    ['ID', 'Node', 'Behavior', 'TTL', 'Name'],
    sessions.map(session => ({ ...session, TTL: session.TTL || 'none' }))
  )

const create = remoteCommand({
  summary: 'Create a session, which can hold locks.',
  about:
    'A session with --ttl ends unless it is renewed in time. `annals lock` creates and renews its own session.',
  examples: [
    'annals session create -name deploy -ttl 30s',
    'annals session create -behavior delete -lock-delay 0s'
  ],
  flags: {
    name: text('text', 'name of the session'),
    node: text('name', 'node of the session (default: that of the server)'),
    ttl: text('duration', 'time after which it ends unless renewed: 10s to 24h'),
    lockDelay: text('duration', 'time that its locks stay unavailable after its end (default: 15s)'),
    behavior: text('what', 'effect of its end on its keys (default: release)', {
      choices: ['release', 'delete']
    }),
    nodeCheck: texts('id', 'check of the node whose failure ends it (default: serfHealth)'),
    serviceCheck: texts('id', 'check of a service whose failure ends it')
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
    out.show(await write('put', '/v1/session/create', body), ({ ID }) => ID)
  }
})

const which = { id: required('ID of the session', namesAt('/v1/session/list', 'ID')) }

const show = remoteCommand({
  summary: 'Show a session.',
  examples: ['annals session read 71143eea-f1ac-44d0-b959-0d2ff1b0e0a4'],
  args: which,
  isRead: true,
  run: async ({ read, out, args }) => {
    const [session] = await read('/v1/session/info/{id}', args)
    if (!session) throw new Failed(`there is no session "${args.id}"`)
    out.show(session, asText)
  }
})

const renew = remoteCommand({
  summary: 'Renew a session for another TTL.',
  examples: ['annals session renew 71143eea-f1ac-44d0-b959-0d2ff1b0e0a4'],
  args: which,
  run: async ({ write, out, args }) => {
    const [session] = await write('put', '/v1/session/renew/{id}', undefined, args)
    if (session) out.show(session, asText)
  }
})

const destroy = remoteCommand({
  summary: 'End a session and release its locks.',
  examples: ['annals session destroy 71143eea-f1ac-44d0-b959-0d2ff1b0e0a4'],
  about: DELETION,
  args: which,
  flags: deletionFlags,
  run: run =>
    deleteIfPresent(run, `session "${run.args.id}"`, async () => {
      const { read, write, args } = run
      if ((await read('/v1/session/info/{id}', args)).length === 0) throw new Missing('no session')
      await write('put', '/v1/session/destroy/{id}', undefined, args)
      return `Session "${args.id}" ended`
    })
})

const list = remoteCommand({
  summary: 'List sessions.',
  examples: ['annals session list', 'annals session list -node web-1'],
  flags: { node: text('name', 'only sessions of this node') },
  isRead: true,
  run: async ({ read, out, flags: { node } }) =>
    out.show(
      await (node === undefined ? read('/v1/session/list') : read('/v1/session/node/{node}', { node })),
      listText
    )
})

export const session = group({
  summary: 'Create, show, renew and end sessions, which hold locks.',
  examples: [
    'annals session create -name deploy -ttl 30s',
    'annals kv put -acquire -session=71143eea-f1ac-44d0-b959-0d2ff1b0e0a4 deploy/lock me',
    'annals session list'
  ],
  commands: { create, read: show, renew, destroy, list }
})
