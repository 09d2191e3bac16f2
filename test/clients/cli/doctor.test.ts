// The problems that `annals doctor` finds, of servers that have them. Its transcript has a healthy server.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { annals } from '../../support/command-line.js'
import { SERVER_FILES, tlsFile, tlsServer } from '../../http/wire/tls/support.js'
import { ROOT } from '../../support/server.js'

interface Answer {
  readonly status?: number
  readonly body: unknown
}

const HEALTHY: Readonly<Record<string, Answer>> = {
  '/healthz': { body: 'ok' },
  '/readyz': { body: { Ready: true } },
  '/v1/acl/token/self': { body: { AccessorID: 'acc-1' } },
  '/v1/acl/token/self/rights': {
    body: {
      DefaultPolicy: 'deny',
      Rules: [
        { Text: 'operator', Level: 'read' },
        { Text: 'acl', Level: 'write' }
      ]
    }
  },
  '/v1/internal/datacenter': { body: { Servers: [{ Node: 'server-1', Version: '0.1.0' }] } },
  '/v1/agent/host': { body: { Disk: { path: '/data', total: 2 ** 31, free: 2 ** 30 } } },
  '/v1/operator/autopilot/state': { body: { Healthy: true, FailureTolerance: 1, Servers: { a: {}, b: {} } } }
}

interface Row {
  readonly Check: string
  readonly Result: string
  readonly Finding: string
  readonly Fix?: string
}

/** Runs the command against a server with these answers. @returns the exit code, and findings that are not ok, by check */
const findingsOf = async (
  t: ExecutionContext,
  answers: Readonly<Record<string, Answer>>,
  date = new Date()
) => {
  const server = createServer(({ url = '' }, response) => {
    const { status = 200, body } = answers[url] ?? HEALTHY[url] ?? { status: 404, body: '' }
    response.writeHead(status, { Date: date.toUTCString(), 'Content-Type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port }: AddressInfo = Object(server.address())
  const args = ['doctor', '-o', 'jsonl', '-http-addr', `127.0.0.1:${port}`, '-token', 'secret']
  const { code, output } = await annals(args)
  const rows: readonly Row[] = output
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const problems = rows.filter(({ Result }) => Result !== 'ok')
  for (const { Check, Fix } of problems) t.truthy(Fix, Check)
  return { code, problems: problems.map(({ Check, Result }) => `${Check} ${Result}`), rows }
}

test('nothing is wrong with a healthy server', async t => {
  const { code, problems, rows } = await findingsOf(t, {})
  t.is(code, 0)
  t.deepEqual(problems, [])
  t.is(rows.length, 8)
})

test('a clock that is wrong, a server that is not ready, and an unhealthy cluster are failures', async t => {
  const answers = {
    '/readyz': {
      status: 503,
      body: {
        Ready: false,
        Log: 'writable',
        ReadModels: 'behind',
        Leader: 'unknown',
        Ending: false,
        Reasons: ['x']
      }
    },
    '/v1/operator/autopilot/state': {
      body: { Healthy: false, FailureTolerance: 0, Servers: { a: { Name: 'server-1', Healthy: false } } }
    }
  }
  const { code, problems, rows } = await findingsOf(t, answers, new Date(Date.now() - 60_000))
  t.is(code, 1)
  t.deepEqual(problems, ['Readiness failed', 'Clock failed', 'Cluster failed'])
  const findingOf = (name: string) => String(rows.find(({ Check }) => Check === name)?.Finding)
  t.regex(findingOf('Cluster'), /server-1/)
  t.regex(findingOf('Readiness'), /is not ready: log writable, read models behind, leader unknown; x$/)
})

test('a full disk, other versions, missing permissions and a cluster without tolerance are warnings', async t => {
  const { code, problems } = await findingsOf(t, {
    '/v1/agent/host': { body: { Disk: { path: '/data', total: 100, free: 9 } } },
    '/v1/internal/datacenter': { body: { Servers: [{ Node: 'server-1', Version: '0.0.9' }] } },
    '/v1/acl/token/self/rights': { body: { DefaultPolicy: 'deny', Rules: [] } },
    '/v1/operator/autopilot/state': {
      body: { Healthy: true, FailureTolerance: 0, Servers: { a: {}, b: {} } }
    }
  })
  t.is(code, 0)
  t.deepEqual(problems, ['Token warning', 'Versions warning', 'Disk warning', 'Cluster warning'])
})

test('over TLS the end of the certificate is known, and an unknown authority is a failure', async t => {
  const server = await tlsServer(t, { ...SERVER_FILES, ca_file: tlsFile('ca.pem'), verify_incoming: true })
  const env = {
    ANNALS_HTTP_ADDR: `https://127.0.0.1:${server.httpsPort}`,
    ANNALS_HTTP_TOKEN: ROOT,
    ANNALS_CLIENT_CERT: SERVER_FILES.cert_file,
    ANNALS_CLIENT_KEY: SERVER_FILES.key_file
  }
  const known = await annals(['doctor'], { ...env, ANNALS_CACERT: tlsFile('ca.pem') })
  t.is(known.code, 0, known.output)
  t.regex(known.output, /^TLS +ok +the certificate is trusted until 2126-/m)
  const unknown = await annals(['doctor'], { ...env, ANNALS_CACERT: tlsFile('other-ca.pem') })
  t.is(unknown.code, 1)
  t.regex(unknown.output, /^Connection +failed .* --ca-file /m)
})
