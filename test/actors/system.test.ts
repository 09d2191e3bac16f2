// What holds after any commands: the log alone makes the state, indexes have no gaps, and authorizers are never stale.
import fc from 'fast-check'
import test from 'ava'
import { UnitOfWork } from '../../actors/unit-of-work.js'
import { decisionRules, lifecycles } from '../../actors/aggregates.js'
import { Committer } from '../../actors/committer.js'
import { inCluster } from '../../actors/ref.js'
import { Refusal } from '../../actors/refusal.js'
import { ActorSystem } from '../../actors/system.js'
import { ACCESS_KEY, accessEvents } from '../../events/cluster.js'
import type { Commit } from '../../events/envelope.js'
import { isPolicyEvent, POLICY_TOPIC } from '../../events/policy.js'
import { isTokenEvent, TOKEN_TOPIC } from '../../events/token.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import type { Access, Resource } from '../../projections/acl/authorizer.js'
import { Resolver } from '../../projections/acl/resolver.js'
import { Views } from '../../projections/read-models.js'
import { COMMAND_TIME, settingsOfTests } from '../support/decision-spec.js'
import { caller, commandSequences, common, type ArbitraryCommand } from './arbitrary-commands.js'
import { policyInput } from './acl-resources.js'
import { runs } from '../support/property-runs.js'

const ACCESS = inCluster(accessEvents.topic, ACCESS_KEY)

interface World {
  readonly views: Views
  readonly log: MemoryEventLog
  readonly system: ActorSystem
  readonly committer: Committer
}

/** A system with the built-in policy and the anonymous token. */
const begin = async (log = new MemoryEventLog()): Promise<World> => {
  const views = new Views(settingsOfTests)
  const committer = new Committer(log, views)
  const system = new ActorSystem(decisionRules, views, committer)
  for (const name of ['CreateBuiltinPolicy', 'CreateAnonymousToken'] as const)
    await system.ask(ACCESS, { ...common, name, data: null, at: COMMAND_TIME })
  return { views, log, system, committer }
}

/** Asks a command; answers with its commit, or undefined when it was refused or changed nothing. */
const ask = async ({ system }: World, asked: ArbitraryCommand, at: number): Promise<Commit | undefined> => {
  try {
    const { commit } =
      asked.kind === 'token'
        ? await system.ask(inCluster(TOKEN_TOPIC), { ...common, ...asked, at })
        : await system.ask(inCluster(POLICY_TOPIC), { ...common, ...asked, at })
    return commit
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const commitsOf = async (log: MemoryEventLog): Promise<Commit[]> => {
  const commits: Commit[] = []
  for await (const commit of log.read(1)) commits.push(commit)
  return commits
}

const replay = (commits: readonly Commit[]): Views => {
  const views = new Views(settingsOfTests)
  for (const commit of commits) {
    new UnitOfWork(lifecycles, views).takeAll(commit.Events)
    views.apply(commit)
  }
  return views
}

const dumpOf = (views: Views): string => JSON.stringify([...views.dump()])

test('after any commands a replay of the log is the state, and every event passes the lifecycles', async t => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async sequence => {
      const world = await begin()
      let at = COMMAND_TIME
      for (const { asked, after } of sequence) await ask(world, asked, (at += after))
      world.committer.stop()
      t.is(dumpOf(replay(await commitsOf(world.log))), dumpOf(world.views))
    }),
    { numRuns: runs(150) }
  )
})

test('indexes run without gaps; what a commit wrote bears its index, and was created at or before it', async t => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async sequence => {
      const world = await begin()
      let at = COMMAND_TIME
      const answered: (Commit | undefined)[] = []
      for (const { asked, after } of sequence) answered.push(await ask(world, asked, (at += after)))
      world.committer.stop()
      const commits = await commitsOf(world.log)
      t.deepEqual(
        commits.map(({ Index }) => Index),
        commits.map((_, i) => i + 1)
      )
      t.is(world.views.index, commits.length)
      t.is(answered.filter(commit => commit).length, commits.length - 2)
      for (const { Index, Events } of commits)
        for (const event of Events) {
          const resource = isTokenEvent(event)
            ? event.Payload.ACLToken
            : isPolicyEvent(event) && event.Payload.ACLPolicy
          if (!resource) continue
          t.true(resource.CreateIndex <= resource.ModifyIndex)
          if (event.Type.endsWith('Upserted')) t.is(resource.ModifyIndex, Index)
          else t.true(resource.ModifyIndex < Index)
        }
    }),
    { numRuns: runs(100) }
  )
})

const questions: readonly (readonly [Resource, Access, string])[] = [
  ['acl', 'read', ''],
  ['acl', 'write', ''],
  ['service', 'read', 'web'],
  ['service', 'write', 'web'],
  ['service', 'write', 'api'],
  ['intention', 'read', 'web'],
  ['key', 'list', 'a/b'],
  ['node', 'write', 'n'],
  ['node', 'read', 'other'],
  ['operator', 'read', '']
]

test('after any change of tokens and policies a kept authorizer answers as a freshly compiled one', async t => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async sequence => {
      const world = await begin()
      const { views } = world
      let at = COMMAND_TIME
      for (const { asked, after } of sequence) {
        await ask(world, asked, (at += after))
        const fresh = new Resolver(views)
        for (const row of views.tokens.list(common.tenancy))
          for (const [resource, access, segment] of questions) {
            const kept = views.resolver.authorizerOf(row).may(resource, access, segment, common.tenancy)
            const compiled = fresh.authorizerOf(row).may(resource, access, segment, common.tenancy)
            if (kept !== compiled)
              t.fail(`${resource}:${access} "${segment}" of ${row.token.AccessorID} is stale`)
          }
      }
      world.committer.stop()
    }),
    { numRuns: runs(60) }
  )
  t.pass()
})

test('after a failure of the log at any commit, a replay restores the state and indexes have no gaps', async t => {
  await fc.assert(
    fc.asyncProperty(commandSequences, fc.integer({ min: 3, max: 20 }), async (sequence, failAt) => {
      const world = await begin(new MemoryEventLog({ failAt }))
      const rebuilt = new Promise<void>(resolve => world.committer.signals.once('rebuilt', resolve))
      let at = COMMAND_TIME
      for (const { asked, after } of sequence) {
        const { index } = world.views
        const commit = await ask(world, asked, (at += after))
        if (commit) t.is(world.log.durableIndex, commit.Index)
        // From the failure on everything is refused, until the log is tried again.
        if (index === failAt - 1 && !commit) break
      }
      if (world.views.index !== world.log.durableIndex) await rebuilt
      world.committer.stop()
      t.is(dumpOf(replay(await commitsOf(world.log))), dumpOf(world.views))
    }),
    { numRuns: runs(100) }
  )
})

test('decisions that are asked at once are made one after another, each seeing the ones before', async t => {
  const world = await begin()
  const create = (i: number) => ({
    kind: 'policy' as const,
    name: 'CreatePolicy' as const,
    data: {
      ...policyInput({ Name: i % 2 === 0 ? 'same' : `other-${i}` }),
      newId: `aaaaaaaa-0000-4000-8000-${String(i).padStart(12, '0')}`
    }
  })
  const commits = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(world, create(i), COMMAND_TIME)))
  t.deepEqual(
    commits.flatMap(commit => (commit ? [commit.Index] : [])),
    Array.from({ length: 11 }, (_, i) => i + 3)
  )
  t.is(commits.filter((commit, i) => commit && i % 2 === 0).length, 1)
  t.is(commits[0]?.By.AccessorID, caller.accessor)
  world.committer.stop()
})
