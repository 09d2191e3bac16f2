// Virtual actors: activated from the read models, stepped by events, passivated with the commit.
import test, { type ExecutionContext } from 'ava'
import * as fc from 'fast-check'
import { assertAllPossible, UnitOfWork } from '../../actors/unit-of-work.js'
import { decisionRules, lifecycles } from '../../actors/aggregates.js'
import { authMethodAggregate } from '../../actors/auth-method/auth-method.js'
import { catalogAggregate, nodeRef } from '../../actors/catalog/catalog.js'
import { Committer } from '../../actors/committer.js'
import { configEntryRef } from '../../actors/config-entry/config-entry.js'
import { namespaceRef } from '../../actors/namespace.js'
import { partitionRef } from '../../actors/partition.js'
import { inNamespace, keyOnNode, splitKeyOnNode } from '../../actors/ref.js'
import { Refusal } from '../../actors/refusal.js'
import { RESTORE_PIECE, RESTORE } from '../../actors/snapshot/restore-snapshot.js'
import { ActorSystem } from '../../actors/system.js'
import { DEFAULT_TENANCY, type Commit, type Event } from '../../events/envelope.js'
import { KV_TOPIC } from '../../events/kv.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { MANAGEMENT_POLICY_ID, POLICY_TOPIC } from '../../events/policy.js'
import { Views } from '../../projections/read-models.js'
import { serviceDefaults } from '../projections/chain/chain-entries.js'
import { checkInput, deregister, nodeInput, perform, register, serviceInput } from '../support/catalog.js'
import { command, settingsOfTests, viewsAfter } from '../support/decision-spec.js'
import { policyFixture, builtinPolicy, id, policyInput, tokenFixture } from './acl-resources.js'
import { authMethodFixture } from './login/login-resources.js'

const begin = (t: ExecutionContext) => {
  const views = new Views(settingsOfTests)
  const committer = new Committer(new MemoryEventLog(), views)
  t.teardown(() => committer.stop())
  const system = new ActorSystem(decisionRules, views, committer)
  const key = inNamespace(KV_TOPIC, DEFAULT_TENANCY, 'k')
  return {
    views,
    system,
    put: (value: string) => system.send(key, command('SetKey', { key: 'k', value, flags: '0' })),
    remove: () => system.send(key, command('DeleteKey', { key: 'k' }))
  }
}

const eventsOf = (commit: Commit | undefined): readonly Event[] => commit?.Events ?? []

/** The events of a key that was written once, and what its deletion says. */
const written = (t: ExecutionContext) => {
  const { put, remove } = begin(t)
  const [set] = eventsOf(put('YQ==').commit)
  const [gone] = eventsOf(remove().commit)
  if (!set || !gone) throw new Error('a key that is written and deleted has two events')
  return { set, gone }
}

test('an actor is activated in the state of its row', t => {
  const { set, gone } = written(t)
  t.false(new UnitOfWork(lifecycles, viewsAfter([])).canTake(gone))
  t.true(new UnitOfWork(lifecycles, viewsAfter([set])).canTake(gone))
  t.false(new UnitOfWork(lifecycles, viewsAfter([set])).canTake({ ...gone, Key: 'other' }))
  t.false(new UnitOfWork(lifecycles, viewsAfter([set])).canTake({ ...gone, Namespace: 'other' }))
})

test('each event of a commit applies to the result of the earlier ones', t => {
  const { set, gone } = written(t)
  const take = (...events: readonly Event[]) => assertAllPossible(lifecycles, viewsAfter([]), events)
  t.notThrows(() => take(set))
  t.notThrows(() => take(set, set, gone, set, gone))
  t.throws(() => take(gone), { message: 'KVDelete of k is not possible while it is absent' })
  t.throws(() => take(set, gone, gone), { message: 'KVDelete of k is not possible while it is absent' })
  t.throws(() => take(set, { ...gone, Key: 'other' }), { message: /KVDelete of other/ })
})

test('many events are accepted in any order exactly if their actors accept them one after another', t => {
  const { set, gone } = written(t)
  const event = fc
    .record({
      base: fc.constantFrom(set, gone),
      Key: fc.constantFrom('a', 'b', 'c'),
      Namespace: fc.constantFrom('default', 'team')
    })
    .map(({ base, ...place }): Event => ({ ...base, ...place }))
  const accepts = (check: () => void): boolean => {
    try {
      check()
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), fc.boolean(), (events, isSorted) => {
      const views = viewsAfter([{ ...set, Key: 'b' }])
      const some = isSorted ? events.toSorted((a, b) => (a.Key < b.Key ? -1 : 1)) : events
      const oneByOne = accepts(() => new UnitOfWork(lifecycles, views).takeAll(some))
      return accepts(() => assertAllPossible(lifecycles, views, some)) === oneByOne
    })
  )
  t.pass()
})

/** Returns how often `run` activates the actors of several events. */
const activationsOf = (run: () => void): number => {
  const original = Object.getOwnPropertyDescriptor(UnitOfWork.prototype, 'takeAll')
  if (!original) throw new Error('a unit of work takes no events')
  let count = 0
  Object.defineProperty(UnitOfWork.prototype, 'takeAll', { ...original, value: () => void count++ })
  try {
    run()
  } finally {
    Object.defineProperty(UnitOfWork.prototype, 'takeAll', original)
  }
  return count
}

test('the removal of a node with services and checks activates no actors', t => {
  const views = viewsAfter([])
  const services = ['s-1', 's-10', 's"!', 'S-2', 's 2']
  for (const name of services)
    perform(
      views,
      register(nodeInput('n'), {
        service: serviceInput(name),
        checks: [checkInput('n', `of-${name}`, { ServiceID: name }), checkInput('n', `own-${name}`)]
      })
    )
  const { catalog } = views
  const events = catalogAggregate.decide(deregister('n'), views, views.index + 1)
  t.is(events.length, services.length * 3 + 1)
  t.is(catalog.servicesOn('default', 'n').length, services.length)
  t.is(
    activationsOf(() => void assertAllPossible(lifecycles, views, events)),
    0
  )
  const [first] = events
  if (first)
    t.is(
      activationsOf(() => void assertAllPossible(lifecycles, views, [...events, first])),
      1
    )
})

test('the deletion of a method activates no actors, whatever the order of its tokens', t => {
  const login = { AuthMethod: 'm', Local: true }
  const tokens = [tokenFixture(id(6), id(1), login), tokenFixture(id(4), id(3), login)]
  const views = viewsAfter([authMethodFixture('m'), ...tokens])
  const deletion = command('DeleteAuthMethod', { name: 'm' })
  const events = authMethodAggregate.decide(deletion, views, views.index + 1)
  t.is(events.length, tokens.length + 1)
  for (const each of [events, events.toReversed()])
    t.is(
      activationsOf(() => void assertAllPossible(lifecycles, views, each)),
      0
    )
})

test('a key on a node has the order of the IDs and is split into its parts', t => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(text, text, text, (node, a, b) => {
      t.deepEqual(splitKeyOnNode(keyOnNode(node, a)), [node, a])
      t.is(keyOnNode(node, a) < keyOnNode(node, b), a < b)
    })
  )
})

test('events beside those of a prepared removal are accepted exactly if they are beside unprepared ones', t => {
  const { set, gone } = written(t)
  const event = fc
    .record({
      base: fc.constantFrom(set, gone),
      Key: fc.constantFrom('a/1', 'a/2', 'a/3', 'b'),
      Namespace: fc.constantFrom('default', 'team')
    })
    .map(({ base, ...place }): Event => ({ ...base, ...place }))
  const accepts = (check: () => void): boolean => {
    try {
      check()
      return true
    } catch {
      return false
    }
  }
  const tree = ['a/1', 'a/2'].map((Key): Event => ({ ...gone, Key }))
  const views = viewsAfter(['a/1', 'a/2', 'b'].map(Key => ({ ...set, Key })))
  const under = { kind: 'KV', partition: 'default', namespace: 'default', key: 'a/' }
  fc.assert(
    fc.property(fc.array(event, { maxLength: 2 }), fc.array(event, { maxLength: 4 }), (before, after) => {
      // The prepared events are those of the present entries: no earlier one is about such an entry.
      const others = before.filter(({ Key, Namespace }) => Namespace === 'team' || Key === 'b')
      const events = [...others, ...tree, ...after]
      const removal = { under, from: others.length, count: tree.length, keys: [['a/1', 'a/2']] }
      t.is(
        accepts(() => assertAllPossible(lifecycles, views, events, [removal])),
        accepts(() => assertAllPossible(lifecycles, views, events))
      )
    })
  )
})

test('an event whose state is not looked up is possible in every state', t => {
  const { set, gone } = written(t)
  for (const { topic, machine, unconditional } of lifecycles)
    for (const type of unconditional)
      for (const value of Object.keys(machine.states)) {
        const event = { ...set, Topic: topic, Type: type }
        t.true(machine.resolveState({ value, context: {} }).can({ type, event }), `${type} while ${value}`)
      }
  const ofKeys = lifecycles.of(set.Topic)
  t.true(ofKeys?.unconditional.has(set.Type))
  t.false(ofKeys?.unconditional.has(gone.Type))
})

test('taking events leaves the read models as they are: what was not committed is forgotten', t => {
  const { set, gone } = written(t)
  const views = viewsAfter([])
  new UnitOfWork(lifecycles, views).takeAll([set])
  t.throws(() => new UnitOfWork(lifecycles, views).takeAll([gone]))
})

test('after its commit an actor is activated from its changed row', t => {
  const { views, put, remove } = begin(t)
  t.is(eventsOf(put('YQ==').commit)[0]?.Type, 'KVSet')
  t.is(eventsOf(remove().commit)[0]?.Type, 'KVDelete')
  t.is(eventsOf(put('Yg==').commit)[0]?.Type, 'KVSet')
  t.is(views.index, 3)
  t.is(views.kv.get(DEFAULT_TENANCY, 'k')?.createIndex, 3)
})

test('a command that is refused, or has nothing to change, leaves no trace', t => {
  const { views, system, put, remove } = begin(t)
  t.is(remove().commit, undefined)
  t.truthy(put('YQ==').commit)
  const ref = inNamespace(POLICY_TOPIC, DEFAULT_TENANCY, MANAGEMENT_POLICY_ID)
  t.throws(() => system.send(ref, command('DeletePolicy', { id: MANAGEMENT_POLICY_ID })), {
    instanceOf: Refusal
  })
  t.is(views.index, 1)
})

test('an event that is impossible in its state is a fault, and nothing of its commit happens', t => {
  const { views, system } = begin(t)
  const { set, gone } = written(t)
  const restore = (...changes: readonly Event[]) => system.send(RESTORE, command(RESTORE_PIECE, { changes }))
  const fault = t.throws(() => restore(set, { ...gone, Key: 'other' }), {
    message: 'KVDelete of other is not possible while it is absent'
  })
  t.false(fault instanceof Refusal)
  t.is(views.index, 0)
  t.is(views.kv.get(DEFAULT_TENANCY, 'k'), undefined)
})

test('an event of an unknown topic is rejected', t => {
  const event = { ...written(t).set, Topic: 'Unknown' }
  const actors = new UnitOfWork(lifecycles, viewsAfter([]))
  t.false(actors.canTake(event))
  t.throws(() => actors.take(event), { message: 'no aggregate has the topic Unknown' })
})

test('what comes with the server never ends', t => {
  const builtin = builtinPolicy()
  const deleted = (event: Event): Event => ({ ...event, Type: 'ACLPolicyDeleted' })
  t.false(new UnitOfWork(lifecycles, viewsAfter([builtin])).canTake(deleted(builtin)))
  const other = policyFixture(id(1), 'other')
  t.true(new UnitOfWork(lifecycles, viewsAfter([other])).canTake(deleted(other)))
  t.false(new UnitOfWork(lifecycles, viewsAfter([builtin])).canTake(deleted(builtin)))
})

test('a command is sent to the actor that its events are about', t => {
  const { system } = begin(t)
  const about = (commit: Commit | undefined) => eventsOf(commit).map(event => lifecycles.refOf(event))
  const partition = { partition: 'p', namespace: 'default' }
  const made = system.send(
    partitionRef(partition),
    command('SetPartition', { Description: '', DisableGossip: false }, { tenancy: partition })
  )
  t.deepEqual(about(made.commit), [partitionRef(partition), namespaceRef(partition)])
  const policy = inNamespace(POLICY_TOPIC, DEFAULT_TENANCY, id(1))
  const data = { ...policyInput({ Name: 'n' }), newId: id(1) }
  t.deepEqual(about(system.send(policy, command('CreatePolicy', data)).commit), [policy])
  const node = nodeRef('default', 'Web-1')
  t.deepEqual(about(system.send(node, register(nodeInput('Web-1'))).commit), [node])
  const content = serviceDefaults('Web', 'http')
  const entry = configEntryRef(DEFAULT_TENANCY, content.Kind, 'Web')
  const set = command('SetConfigEntry', { content, cas: undefined })
  t.deepEqual(about(system.send(entry, set).commit), [entry])
})
