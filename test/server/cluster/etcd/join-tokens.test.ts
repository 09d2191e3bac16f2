// Join tokens, over a store in memory.
import test from 'ava'
import { JoinTokens, parseJoinToken } from '../../../../server/cluster/etcd/join-tokens.js'
import { memoryStore } from './memory-store.js'

const FINGERPRINT = 'f'.repeat(43)
const LIFE = 3_600_000
const NOW = 1_700_000_000_000

const created = async () => {
  const store = memoryStore()
  const tokens = new JoinTokens(store, '/annals')
  const text = await tokens.create(FINGERPRINT, LIFE, NOW)
  const token = parseJoinToken(text)
  if (!token) throw new Error(text)
  return { store, tokens, token, text }
}

test('a token admits one machine, which may repeat its request', async t => {
  const { tokens, token } = await created()
  t.like(token, { fingerprint: FINGERPRINT, expires: NOW + LIFE })
  const machine = { name: 'two', key: 'k2' }
  t.is(await tokens.use(token, machine, NOW, true), undefined)
  t.is(await tokens.use(token, machine, NOW), undefined)
  t.is(await tokens.use(token, machine, NOW), undefined)
  const other = { name: 'three', key: 'k3' }
  t.regex((await tokens.use(token, other, NOW)) ?? '', /was used by two/)
  t.regex((await tokens.use(token, other, NOW, true)) ?? '', /was used by two/)
})

test('of two machines that use a token at the same time, one is admitted', async t => {
  const { tokens, token } = await created()
  const outcomes = await Promise.all(
    ['a', 'b'].map(name => tokens.use(token, { name, key: `key of ${name}` }, NOW))
  )
  t.is(outcomes.filter(outcome => outcome === undefined).length, 1)
})

test('unknown, wrong and expired tokens are refused, and the store has no secret', async t => {
  const { store, tokens, token } = await created()
  const machine = { name: 'two', key: 'k2' }
  const refusal = async (id: string, secret: string, now = NOW) =>
    (await tokens.use({ id, secret }, machine, now)) ?? ''
  t.regex(await refusal('0'.repeat(16), token.secret), /unknown/)
  t.regex(await refusal(token.id, 'x'.repeat(43)), /unknown/)
  t.regex(await refusal(token.id, token.secret, NOW + LIFE + 1), /expired/)
  t.false([...store.values.values()].some(value => value.includes(token.secret)))
})

test('creating a token deletes the expired ones', async t => {
  const { store, tokens } = await created()
  await tokens.create(FINGERPRINT, LIFE, NOW + 2 * LIFE)
  t.is(store.values.size, 1)
})

test('a text of another form is no token', async t => {
  const { text } = await created()
  for (const wrong of ['', `${text}x`, text.replace('.', ' '), text.toUpperCase()])
    t.is(parseJoinToken(wrong), undefined, wrong)
})
