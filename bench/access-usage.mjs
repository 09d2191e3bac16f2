// Measures the CPU that the record of the use of rights adds to a decision. Usage: node bench/access-usage.mjs   (after a build)
// The questions are those of requests for 1,000 keys, each text newly created, in rounds that alternate with bare decisions. Then two servers in this
// process answer reads over HTTP in turns, one of which records.
import 'reflect-metadata'
import { compileAuthorizer } from '../dist/projections/acl/authorizer.js'
import { parseRules } from '../dist/projections/acl/rules/parse.js'
import { FilterUses } from '../dist/projections/acl/usage/filter-uses.js'
import { QuestionCounter } from '../dist/projections/acl/usage/question-counter.js'
import { serverInProcess } from '../dist/test/support/server.js'
import { scoped } from './measuring.mjs'

const DECISIONS = 200_000
const ROUNDS = 31
const tenancy = { partition: 'default', namespace: 'default' }
const links = { Policies: [], Roles: [], ServiceIdentities: [], NodeIdentities: [] }
const token = { token: { AccessorID: 'a', ...links }, tenancy }
const rules = parseRules('key_prefix "app/" { policy = "write" } key_prefix "web/" { policy = "read" }')
const authorizer = compileAuthorizer([{ rules, tenancy }], 'deny')
const counter = new QuestionCounter(() => {})

const measure = (keys, run) => {
  const names = Array.from({ length: DECISIONS }, (_, i) => `app/${i % keys}/`.slice(0, -1))
  const began = process.cpuUsage()
  for (const name of names) run(name)
  const { user, system } = process.cpuUsage(began)
  return ((user + system) * 1000) / DECISIONS
}
const median = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const decide = name => void authorizer.may('key', 'read', name, tenancy)
const count = name => {
  if (authorizer.may('key', 'read', name, tenancy)) counter.count(token, 'key', 'read', name, tenancy, true)
}
let uses
const filter = name => {
  const ruling = authorizer.rulingOf('key', 'read', name, tenancy)
  if (ruling) uses.note(ruling, 'key', 'read', name, tenancy)
}

for (const { label, keys, run } of [
  { label: 'a question counted before', keys: 50, run: count },
  { label: 'a question below a collapsed prefix', keys: 1000, run: count },
  { label: 'a row of a list', keys: 1000, run: filter }
]) {
  const bare = []
  const recorded = []
  for (let round = 0; round < ROUNDS; round++) {
    uses = new FilterUses(() => ({ count: 0 }))
    counter.take()
    bare.push(measure(keys, decide))
    recorded.push(measure(keys, run))
  }
  const [before, after] = [median(bare), median(recorded)]
  console.log(
    `${label}: ${before.toFixed(0)} ns, recorded ${after.toFixed(0)} ns, so ${(after - before).toFixed(0)} ns more`
  )
}

/** Returns the CPU time of one read of each path, in µs. */
const readAll = async (server, paths) => {
  const began = process.cpuUsage()
  for (const path of paths) await server.send('GET', path)
  const { user, system } = process.cpuUsage(began)
  return (user + system) / paths.length
}

await scoped(async scope => {
  const [bare, recording] = await Promise.all(
    [false, true].map(enabled => serverInProcess(scope, { config: { acl: { usage: { enabled } } } }))
  )
  for (const server of [bare, recording])
    for (let i = 0; i < 1000; i++) await server.send('PUT', `/v1/kv/app/${i}`, { body: 'x' })
  for (const { label, paths } of [
    { label: 'a read of a key', paths: Array.from({ length: 1000 }, (_, i) => `/v1/kv/app/${i}`) },
    { label: 'a list of 1,000 keys', paths: Array.from({ length: 50 }, () => '/v1/kv/app/?recurse') }
  ]) {
    const rounds = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push([await readAll(bare, paths), await readAll(recording, paths)])
    const [before, after] = [0, 1].map(at => median(rounds.map(round => round[at])))
    const share = median(rounds.map(([one, other]) => other / one))
    console.log(
      `${label}, with its client: ${before.toFixed(0)} µs, recorded ${after.toFixed(0)} µs, ${((share - 1) * 100).toFixed(1)} % more`
    )
  }
})
process.exit(0)
