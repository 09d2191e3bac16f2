// The holders of a permission at earlier indexes, which threads read and decide.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { POLICY_TOPIC } from '../../../../events/policy.js'
import { START_IMPACT_THREAD, startImpactThread } from '../../../../http/routes/acl/impact/impact-thread.js'
import { CATCH_UP, CatchUpFailed, type CatchUpSource } from '../../../../http/stream/catch-up/source.js'
import { prepareRules } from '../../../../projections/acl/rules/parsed-rules.js'
import { STEP_LENGTH } from '../../../../projections/acl/rules/syntax.js'
import { temporaryFolder, type Scope } from '../../../support/process.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'
import { commit, event } from '../../stream/streams.js'
import { createPolicy, createToken, indexOf } from '../../support.js'

const QUESTION = 'resource=key&segment=config/db&access=write'
const RULES = 'key_prefix "config/" { policy = "write" }'
const LONG_ID = '5ec51e41-0000-4000-8000-000000000000'

const onDisk = (t: Scope, options: TestServerOptions = {}): Promise<TestServer> =>
  serverInProcess(t, { dataDir: join(temporaryFolder(t), 'data'), ...options })

const who = async (server: TestServer, query: string) => {
  const answer = await server.send('GET', `/v1/acl/who?${QUESTION}&${query}`)
  const rows: readonly { readonly Name?: string }[] = answer.status === 200 ? JSON.parse(answer.text) : []
  return { ...answer, names: rows.map(({ Name }) => Name) }
}

const newest = async (server: TestServer): Promise<number> =>
  indexOf(await server.send('GET', '/v1/acl/policies'))

/** Parsed in several steps. */
const longRules = (): string => {
  const ruleOf = (n: number): string => `key_prefix "earlier/${n}" { policy = "read" }\n`
  return `${RULES}\n${Array.from({ length: STEP_LENGTH / 10 }, (_, n) => ruleOf(n)).join('')}`
}

const policyEvent = (Rules: string) => {
  const ACLPolicy = { ID: LONG_ID, Name: 'long', Rules, Description: '', Datacenters: [], Hash: '' }
  return event(POLICY_TOPIC, LONG_ID, {
    Payload: { ACLPolicy: { ...ACLPolicy, CreateIndex: 1, ModifyIndex: 1 } }
  })
}

test('the deciding thread parses no rules of an earlier index', async t => {
  const server = await onDisk(t)
  const long = longRules()
  commit(server, policyEvent(long))
  const token = await createToken(server, { Description: 'writer', Policies: [{ ID: LONG_ID }] })
  commit(server, policyEvent(RULES))
  await createToken(server, { Description: 'later', Policies: [{ ID: LONG_ID }] })
  const { status, text, names } = await who(server, `at=${token.ModifyIndex}`)
  t.is(status, 200, text)
  t.true(names.includes('writer'))
  t.false(names.includes('later'))
  t.deepEqual((await who(server, `from=${token.ModifyIndex}`)).names, ['later'])
  t.not(prepareRules(long, DEFAULT_TENANCY), undefined)
})

test('pages of an earlier index continue, and together are the list at this index', async t => {
  const server = await onDisk(t)
  const ID = await createPolicy(server, 'config', RULES)
  for (const Description of ['a', 'b']) await createToken(server, { Description, Policies: [{ ID }] })
  const { ModifyIndex: index } = await createToken(server, { Description: 'c', Policies: [{ ID }] })
  const { names: present, text } = await who(server, '')
  await server.send('DELETE', `/v1/acl/policy/${ID}`)
  t.deepEqual((await who(server, '')).names, ['Initial Management Token'])
  const then = await who(server, `at=${index}`)
  t.is(then.text, text)
  const paged: (string | undefined)[] = []
  let query: string | undefined = `at=${index}&limit=2`
  while (query !== undefined && paged.length < 10) {
    const { names, headers } = await who(server, query)
    paged.push(...names)
    query = /who\?([^>]*)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1]
  }
  t.deepEqual(paged, present)
  const diff = JSON.parse((await who(server, `diff=${index}..${index + 1}`)).text)
  t.is(diff.length, 3)
})

test('an erased version that decides is gone, until a later one replaces it', async t => {
  const server = await onDisk(t)
  const ID = await createPolicy(server, 'config', RULES)
  const erased = await newest(server)
  await createToken(server, { Description: 'writer', Policies: [{ ID }] })
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'config', Rules: RULES } })
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'config', Rules: `${RULES} ` } })
  const later = await newest(server)
  await server.app.log.erase([{ index: erased, who: true, events: [0] }])
  const gone = await who(server, `at=${erased}`)
  t.is(gone.status, 410, gone.text)
  t.is(gone.text, `What commit ${erased} made of ACLPolicy "${ID}" was erased`)
  t.true((await who(server, `at=${later}`)).names.includes('writer'))
})

test('a request whose thread ends twice is unavailable, and the next one is answered', async t => {
  const program = join(temporaryFolder(t), 'program.mjs')
  writeFileSync(
    program,
    "import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => process.exit())"
  )
  let count = 0
  const start = (): Worker => (++count <= 2 ? new Worker(program) : startImpactThread())
  const server = await onDisk(t, {
    register: container => container.registerInstance(START_IMPACT_THREAD, start)
  })
  await createPolicy(server, 'config', RULES)
  t.is((await who(server, '')).status, 200)
  t.is(count, 0)
  const { status, text } = await who(server, 'at=2')
  t.is(status, 503, text)
  t.is((await who(server, 'at=2')).status, 200)
  t.is(count, 3)
})

test('a request is unavailable if the thread that reads the log ends', async t => {
  const failing: CatchUpSource = {
    open: () => ({ next: () => Promise.reject(new CatchUpFailed('ended')), close: () => {} }),
    close: async () => {}
  }
  const server = await onDisk(t, {
    register: container => container.registerInstance(CATCH_UP, failing)
  })
  const { status, text } = await who(server, 'at=1')
  t.is(status, 503, text)
})
