// Measures GET /v1/acl/who over all tokens, and the impact of a policy that all of them link, without HTTP: CPU time of this thread with cold
// authorizers, and the longest step without the pauses of the garbage collector. The impact is compared on its thread, and for comparison on this one.
// Usage: node bench/acl-holders.mjs [TOKENS]   (after a build, with the packaged Node)
import 'reflect-metadata'
import { PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { DraftViews } from '../dist/projections/draft-views.js'
import { Views } from '../dist/projections/read-models.js'
import { ComparingThread, startImpactThread } from '../dist/http/routes/acl/impact/impact-thread.js'
import { affectedGroups } from '../dist/projections/acl/impact/affected-groups.js'
import { postChange } from '../dist/projections/acl/impact/change-parts.js'
import { ChangedLinks } from '../dist/projections/acl/impact/changed-links.js'
import { compareGroups } from '../dist/projections/acl/impact/compare-groups.js'
import { ReceivedChange } from '../dist/projections/acl/impact/compared-change.js'
import { PermissionHolders } from '../dist/projections/acl/permission-holders.js'
import { StepPace } from '../dist/projections/steps.js'
import { median } from './statistics.mjs'

const TOKENS = Number(process.argv[2] ?? 10_000)
const POLICIES = 1000
const ROUNDS = 7
const tenancy = { partition: 'default', namespace: 'default' }
const idOf = (kind, n) => `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const rulesOf = n =>
  Array.from({ length: 10 }, (_, i) => `key_prefix "team-${n % 100}/app-${n}/${i}/" { policy = "write" }`)
    .concat(n % 50 === 0 ? ['key_prefix "config/" { policy = "write" }'] : [], [
      `service "app-${n}" { policy = "write" }`
    ])
    .join('\n')

const event = (Topic, Type, Key, Payload, Secrets = {}) => ({
  Topic,
  Type,
  Key,
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: [],
  Payload,
  Secrets
})

/** Every token has links of its own: two policies and an identity. */
const stateOf = ({ isShared = false } = {}) => {
  const views = new Views({ aclEnabled: true, datacenter: 'dc1', defaultPolicy: 'deny' })
  let Index = 0
  const apply = one => views.apply({ Index: ++Index, Time: '2026-01-01T00:00:00Z', By: {}, Events: [one] })
  const links = { CreateIndex: 1, ModifyIndex: 1 }
  for (let n = 0; n < POLICIES; n++) {
    const policy = {
      ID: idOf('a', n),
      Name: `p${n}`,
      Description: '',
      Rules: rulesOf(n),
      Datacenters: [],
      ...links
    }
    apply(event('ACLPolicy', 'ACLPolicyUpserted', policy.ID, { ACLPolicy: policy }))
  }
  for (let n = 0; n < TOKENS; n++) {
    const token = {
      AccessorID: idOf('b', n),
      Description: `token ${n}`,
      Policies: [isShared ? 0 : n % POLICIES, (n * 7 + Math.floor(n / POLICIES)) % POLICIES].map(p => ({
        ID: idOf('a', p)
      })),
      Roles: [],
      ServiceIdentities: [{ ServiceName: `s${n}` }],
      NodeIdentities: [],
      Local: false,
      AuthMethod: '',
      ...links
    }
    apply(
      event('ACLToken', 'ACLTokenUpserted', token.AccessorID, { ACLToken: token }, { SecretID: idOf('c', n) })
    )
  }
  return views
}

const pauses = []
const observer = new PerformanceObserver(list => pauses.push(...list.getEntries()))
observer.observe({ entryTypes: ['gc'] })

const cpuSince = before => {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Returns the longest of the turns, without the pauses in it. Other processes are in the elapsed time, and CPU time is counted in ticks of 4 ms. */
const longestOf = turns => {
  pauses.push(...observer.takeRecords())
  const lengths = turns.map(({ from, until, used }) =>
    pauses
      .filter(({ startTime }) => startTime >= from && startTime < until)
      .reduce((length, { duration }) => length - duration, Math.min(until - from, used))
  )
  pauses.length = 0
  return Math.max(...lengths)
}

const measure = async (views, question) => {
  views.resolver.reset()
  const holders = new PermissionHolders(views, { ...question, tenancy }, Date.now())
  let found = 0
  const [begin, turns] = [process.threadCpuUsage(), []]
  const run = steps => {
    for (;;) {
      const [from, cpu] = [performance.now(), process.threadCpuUsage()]
      const { done } = steps.next()
      turns.push({ from, until: performance.now(), used: cpuSince(cpu) })
      if (done) return
    }
  }
  run(holders.decideLinks())
  const findAll = function* () {
    const pace = new StepPace()
    for (const row of views.tokens.behind(tenancy, undefined)) {
      const holder = { kind: 'token', row }
      if (holders.has(holder, pace) && holders.explanationOf(holder)) found++
      if (pace.isOver()) yield
    }
  }
  run(findAll())
  const ms = cpuSince(begin)
  await setImmediate()
  return { ms, longest: longestOf(turns), found }
}

const views = stateOf()
for (const question of [
  { resource: 'key', access: 'write', segment: 'config/db' },
  { resource: 'service', access: 'read', segment: 'web' }
]) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(views, question))
  const { found } = rounds[0]
  console.log(
    `${question.resource}:${question.access}  ${found} of ${TOKENS} tokens, ${POLICIES} policies: CPU ` +
      `${median(rounds.map(({ ms }) => ms)).toFixed(0)} ms (first ${rounds[0].ms.toFixed(0)}), ` +
      `longest step ${median(rounds.map(({ longest }) => longest)).toFixed(1)} ms (first ${rounds[0].longest.toFixed(1)})`
  )
}

const before = stateOf({ isShared: true })
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** A policy that all tokens link loses a rule. */
const changeOf = () => {
  const after = new DraftViews(before)
  const policy = {
    ...before.policies.get(idOf('a', 0)).policy,
    Rules: rulesOf(0).replace('key_prefix "config/" { policy = "write" }', '')
  }
  const events = [event('ACLPolicy', 'ACLPolicyUpserted', policy.ID, { ACLPolicy: policy })]
  after.draft(events, '2026-01-01T00:00:00Z')
  return { before, after, events }
}

/** Returns the time of a thread, and of the longest step of `run`. The state is no longer young, as that of a server. */
const measureImpact = async receiver => {
  collectGarbage()
  const change = changeOf()
  const links = new ChangedLinks(change)
  const { onlyPolicies: policies } = links
  const [start, begin] = [performance.now(), process.threadCpuUsage()]
  let longest = 0
  const run = steps => {
    for (;;) {
      const [began, cpu] = [performance.now(), process.threadCpuUsage()]
      const { done, value } = steps.next()
      const used = cpuSince(cpu)
      longest = Math.max(longest, Math.min(performance.now() - began, used))
      if (done) return value
    }
  }
  const groups = run(affectedGroups(change, links, { now: Date.now(), mayRead: () => true }))
  receiver.begin({ datacenter: 'dc1', policies, defaultPolicy: 'deny' })
  const posted = { changed: links.policies, groups, recorded: { subjects: () => [], of: () => [] } }
  run(postChange(change, posted, parts => receiver.take(parts)))
  const { tokens } = await receiver.compare()
  return { ms: cpuSince(begin), longest, elapsed: performance.now() - start, tokens }
}

const here = {
  begin: head => (here.change = new ReceivedChange(head)),
  take: parts => parts.forEach(part => here.change.add(part)),
  compare: () => compareGroups(here.change)
}

const thread = new ComparingThread(startImpactThread())
const beside = {
  begin: head => thread.post({ kind: 'change', head }),
  take: parts => thread.post({ kind: 'parts', parts }),
  compare: () => thread.compare()
}

for (const [name, receiver] of Object.entries({ here, beside })) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureImpact(receiver))
  const middle = of => median(rounds.map(of)).toFixed(0)
  console.log(
    `impact compared ${name}: ${rounds[0].tokens} of ${TOKENS} tokens: CPU of this thread ${middle(({ ms }) => ms)} ms, ` +
      `in all ${middle(({ elapsed }) => elapsed)} ms (first ${rounds[0].elapsed.toFixed(0)}), ` +
      `longest step ${median(rounds.map(({ longest }) => longest)).toFixed(1)} ms`
  )
}
await thread.end()
