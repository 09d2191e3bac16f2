// The list of 10,000 tokens for a reader without acl:write.
import { Agent, get } from 'node:http'
import { median, targetText } from '../statistics.mjs'

const TOKENS = 10_000
const AT_ONCE = 64
const LISTS = 40
const MOST_MS = 15

async function* measure({ start }) {
  const { base, root, call } = await start()
  const policy = await call('PUT', '/v1/acl/policy', { Name: 'reader', Rules: 'acl = "read"' })
  const role = await call('PUT', '/v1/acl/role', { Name: 'readers', Policies: [{ ID: policy.ID }] })
  const body = {
    Description: 'made by the benchmark',
    Policies: [{ ID: policy.ID }],
    Roles: [{ ID: role.ID }]
  }
  let left = TOKENS
  const create = async () => {
    while (left-- > 0) await call('PUT', '/v1/acl/token', body)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, create))
  const { SecretID } = await call('PUT', '/v1/acl/token', body)

  const agent = new Agent({ keepAlive: true })
  const listed = token =>
    new Promise((resolve, reject) => {
      const headers = { 'x-service-token': token }
      const request = get(`${base}/v1/acl/tokens`, { agent, headers }, response => {
        let bytes = 0
        response.on('data', chunk => (bytes += chunk.length))
        response.on('end', () =>
          response.statusCode === 200 ? resolve(bytes) : reject(new Error(`answered ${response.statusCode}`))
        )
      })
      request.on('error', reject)
    })
  const timed = async token => {
    const times = []
    let bytes = 0
    for (let i = 0; i < LISTS; i++) {
      const begin = performance.now()
      bytes = await listed(token)
      times.push(performance.now() - begin)
    }
    return { time: median(times), least: Math.min(...times), bytes }
  }
  const reader = await timed(SecretID)
  const writer = await timed(root)
  yield `token-list     ${TOKENS.toLocaleString('en')} tokens, ${(reader.bytes / 2 ** 20).toFixed(1)} MiB, with the client on the same machine`
  yield `  acl:read     ${reader.time.toFixed(1)} ms median of ${LISTS}, ${reader.least.toFixed(1)} ms at the least${targetText(reader.time, MOST_MS, false)}`
  yield `  acl:write    ${writer.time.toFixed(1)} ms`
  agent.destroy()
}

export const scenario = { name: 'token-list', measure }
