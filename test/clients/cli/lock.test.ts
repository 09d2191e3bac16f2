import test from 'ava'
import { annals } from '../../support/command-line.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { until } from '../../support/wait.js'

interface Entry {
  readonly Session?: string
}

test('a program whose lock is lost is ended', async t => {
  const server = await serverInProcess(t)
  const env = { ...process.env, ANNALS_HTTP_ADDR: server.base, ANNALS_HTTP_TOKEN: ROOT }
  const running = annals(['lock', 'deploy', 'sleep', '100000'], env)
  const session = await until('the lock is held', async () => {
    const { status, text } = await server.send('GET', '/v1/kv/deploy/.lock')
    if (status !== 200) return undefined
    const [entry]: readonly Entry[] = JSON.parse(text)
    return entry?.Session
  })
  await server.send('PUT', `/v1/session/destroy/${session}`)
  const { code, errors } = await running
  t.is(code, 1)
  t.regex(errors, /^annals: lock "deploy\/\.lock" is lost: .*\n$/)
})
