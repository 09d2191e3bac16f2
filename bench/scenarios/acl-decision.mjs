// One decision for a token with 50 policies of 40 rules, and the compilation of its authorizer.
import { compileAuthorizer } from '../../dist/projections/acl/authorizer.js'
import { parseRules } from '../../dist/projections/acl/rules/parse.js'
import { median, targetText } from '../statistics.mjs'

const POLICIES = 50
const RULES = 40
const MOST_US = 2
const BATCHES = 2000
const BATCH = 500
const COMPILATIONS = 20

const tenancy = { partition: 'default', namespace: 'default' }
const KINDS = ['key', 'key_prefix', 'service', 'service_prefix', 'node_prefix']
const LEVELS = ['read', 'write', 'deny']

const ruleText = (policy, i) => {
  const label = `team-${policy % 10}/app-${policy}/part-${i}`
  return `${KINDS[i % KINDS.length]} "${label}" { policy = "${LEVELS[(policy + i) % LEVELS.length]}" }`
}
const sets = Array.from({ length: POLICIES }, (_, policy) => ({
  rules: parseRules(Array.from({ length: RULES }, (_none, i) => ruleText(policy, i)).join('\n')),
  tenancy,
  source: `policy ${policy}`
}))

const questions = Array.from({ length: BATCH }, (_, i) => {
  const policy = i % POLICIES
  const segment = `team-${policy % 10}/app-${policy}/part-${i % RULES}${i % 3 === 0 ? '/deeper/still' : ''}`
  return [i % 2 === 0 ? 'key' : 'service', i % 5 === 0 ? 'write' : 'read', segment]
})

async function* measure() {
  const compilations = []
  let authorizer = compileAuthorizer(sets, 'deny')
  for (let i = 0; i < COMPILATIONS; i++) {
    const begin = performance.now()
    authorizer = compileAuthorizer(sets, 'deny')
    compilations.push(performance.now() - begin)
  }
  const times = []
  let allowed = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const begin = performance.now()
    for (const [resource, access, segment] of questions)
      if (authorizer.may(resource, access, segment, tenancy)) allowed++
    times.push(((performance.now() - begin) * 1000) / BATCH)
  }
  const each = median(times)
  const worst = times.toSorted((a, b) => a - b)[Math.floor(BATCHES * 0.99)]
  yield `acl-decision   ${POLICIES} policies of ${RULES} rules, ${allowed > 0 ? 'some' : 'none'} of the questions allowed`
  yield `  decision     ${each.toFixed(3)} µs median of ${BATCHES} batches${targetText(each, MOST_US, false)}, p99 ${worst.toFixed(3)} µs`
  yield `  compilation  ${median(compilations).toFixed(2)} ms`
}

export const scenario = { name: 'acl-decision', measure }
