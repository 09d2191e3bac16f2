// Servers that leave a cluster, and their nodes in its catalog.
import test from 'ava'
import { pino } from 'pino'
import type { CatalogCommand } from '../../../../actors/catalog/catalog.js'
import { Clock } from '../../../../actors/clock.js'
import type { KnownMember } from '../../../../actors/processes/members.js'
import { Refusal } from '../../../../actors/refusal.js'
import { MemberNodes } from '../../../../http/routes/agent/member-nodes.js'

const memberCalled = (name: string): KnownMember => ({
  member: {
    id: `id-of-${name}`,
    name,
    address: '',
    bind: '10.0.0.1',
    meta: {},
    version: '',
    at: 0,
    flushed: 0,
    lastContact: 0
  },
  isLive: true,
  since: 0,
  heardAt: 0
})

/** A catalog of names and IDs, and a cluster whose servers a test sets. */
const cluster = () => {
  const nodes = new Map<string, string>()
  const looks = new Set<() => void>()
  let known: readonly KnownMember[] = []
  let isRefusing = false
  const ask = async (node: string, { data }: CatalogCommand): Promise<void> => {
    if (isRefusing) throw new Refusal('request.unavailable', 'not now')
    if ('checks' in data) nodes.set(node, `id-of-${node}`)
    else nodes.delete(node)
  }
  const look = async (): Promise<void> => {
    for (const listener of looks) listener()
  }
  const members = {
    get all() {
      return known
    },
    get: (id: string) => known.find(({ member }) => member.id === id),
    look,
    onLook: (listener: () => void) => {
      looks.add(listener)
      return () => void looks.delete(listener)
    }
  }
  const isKnown = (id: string): boolean => [...nodes.values()].includes(id)
  const parts = { members, idOf: (name: string) => nodes.get(name), isKnown, ask, clock: new Clock() }
  return {
    nodes,
    server: () => new MemberNodes({ ...parts, logger: pino({ level: 'silent' }), datacenter: 'dc1' }),
    set: (...names: string[]) => {
      known = names.map(memberCalled)
      return look()
    },
    look,
    refuse: (isRefused: boolean) => void (isRefusing = isRefused)
  }
}

test('the node of a server that has left goes with a later look when the first try is refused', async t => {
  const { nodes, server, set, look, refuse } = cluster()
  await set('one', 'two')
  await server().start()
  t.deepEqual([...nodes.keys()], ['one', 'two'])
  refuse(true)
  await set('one')
  refuse(false)
  await look()
  t.deepEqual([...nodes.keys()], ['one'])
})

test('a server that comes to lead removes the node of one that left before', async t => {
  const { nodes, server, set } = cluster()
  const [before, after] = [server(), server()]
  await set('one', 'two', 'three')
  await before.start()
  before.stop()
  await set('one', 'two')
  t.deepEqual([...nodes.keys()], ['one', 'two', 'three'])
  await after.start()
  t.deepEqual([...nodes.keys()], ['one', 'two'])
})

test('a node of another server that took the name is left alone', async t => {
  const { nodes, server, set } = cluster()
  await set('one', 'two')
  const leader = server()
  await leader.start()
  leader.stop()
  nodes.set('two', 'of-somebody-else')
  await set('one')
  await leader.start()
  t.true(nodes.has('two'))
})
