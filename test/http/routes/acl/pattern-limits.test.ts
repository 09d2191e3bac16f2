// Patterns that callers give are refused with a text before they cost the one thread its time.
import test from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'

const query = (server: TestServer, Name: string, Regexp: string) =>
  server.send('POST', '/v1/query', {
    body: {
      Name,
      Template: { Type: 'name_prefix_match', Regexp },
      Service: { Service: '${match(1)}' }
    }
  })

test('a template whose pattern is too large is refused, and a name that is too long for its pattern', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const large = await query(server, 'large', '(a|b|c)'.repeat(500))
  t.is(large.status, 400)
  t.regex(large.text, /Bad Regexp: the pattern stands for 3000 characters, more than 1024/)
  t.is((await query(server, 'geo-', `^geo-(${'(?:a|b|c)?'.repeat(100)}.*)$`)).status, 200)
  t.is((await server.send('GET', '/v1/query/geo-abc/execute')).status, 200)
  const long = await server.send('GET', `/v1/query/geo-${'abc'.repeat(1000)}/execute`)
  t.is(long.status, 400)
  t.regex(long.text, /is too large for a text of 3004 characters: at most 65536 steps are taken/)
})

test('a filter whose patterns are too large together is refused, and one that meets a text too long for it', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const filtered = (filter: string) =>
    server.send('GET', `/v1/acl/policies?filter=${encodeURIComponent(filter)}`)
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'long', Description: 'ab'.repeat(20_000) } })
  const many = await filtered(Array.from({ length: 3 }, () => 'Name matches "a{500}"').join(' or '))
  t.is(many.status, 400)
  t.regex(many.text, /all patterns together stand for 1500 characters, more than 1024/)
  const long = await filtered('Description matches "(a|b)*x"')
  t.is(long.status, 400)
  t.regex(long.text, /Failed to evaluate the filter: .* is too large for a text of 40000 characters/)
  const short = await filtered('Name matches "^lo(n|m)g$"')
  t.is(short.status, 200)
  t.is(JSON.parse(short.text).length, 1)
})

test('a filter of user events is bounded alike', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const answer = await server.send('PUT', `/v1/event/fire/deploy?node=${'a{1000}'.repeat(2)}`)
  t.is(answer.status, 400)
  t.regex(answer.text, /parameter "node".*stands for 2000 characters/)
})
