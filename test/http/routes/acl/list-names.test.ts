// A list of tokens shows the names of policies, which may change while it is read in chunks.
import test from 'ava'
import { runs } from '../../../support/property-runs.js'
import { serverInProcess } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'
import { createPolicy, createToken } from '../../support.js'

const POLICIES = 20
const TOKENS = 150
const WRITERS = 4
const LISTS = runs(6)

test('a long list of tokens is answered while policies are renamed all the time', async t => {
  shortenChunks(t)
  const server = await serverInProcess(t)
  const ids: string[] = []
  for (let i = 0; i < POLICIES; i++) ids.push(await createPolicy(server, `first-${i}`, ''))
  const Policies = ids.map(ID => ({ ID }))
  for (let i = 0; i < TOKENS; i++) await createToken(server, { Policies })
  let isOver = false
  const rename = async (writer: number, isDone: () => boolean): Promise<void> => {
    for (let n = 0; !isDone(); n++)
      await server.send('PUT', `/v1/acl/policy/${ids[writer] ?? ''}`, {
        body: { Name: `later-${writer}-${n}` }
      })
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => rename(writer, () => isOver))
  const end = (): Promise<unknown> => {
    isOver = true
    return Promise.all(writers)
  }
  t.teardown(end)
  for (let i = 0; i < LISTS; i++) {
    // With a filter each list is created for its request.
    const answer = await server.send('GET', `/v1/acl/tokens?filter=${encodeURIComponent('AccessorID != ""')}`)
    t.is(answer.status, 200, answer.text.slice(0, 200))
    t.true(JSON.parse(answer.text).length > TOKENS)
  }
  await end()
})
