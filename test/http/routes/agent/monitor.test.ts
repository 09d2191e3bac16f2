// The log as it is written, for who may read the agent (spec: state.md §8).
import { request as open, type IncomingMessage } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { createLogger } from '../../../../server/telemetry/logging/logger.js'
import { LogLines } from '../../../../server/telemetry/logging/lines.js'
import { LOGGER } from '../../../../server/settings/ports.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const SECRET = 'b6e29626-e23d-98b4-e19f-c71a96fbdef7'

const logging = (t: ExecutionContext): Promise<TestServer> =>
  serverInProcess(t, {
    register: scope => {
      const settings = { log: { level: 'debug' as const, pretty: false } }
      scope.registerInstance(LOGGER, createLogger(settings, { write: () => {} }, scope.resolve(LogLines)))
    }
  })

const monitor = async (t: ExecutionContext, { base }: TestServer, query = '') => {
  const heard = { text: '', isEnded: false }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = open(
      `${base}/v1/agent/monitor${query}`,
      { headers: { 'x-service-token': ROOT } },
      resolve
    )
    request.on('error', reject)
    request.end()
    t.teardown(() => request.destroy())
  })
  answer.on('data', chunk => (heard.text += String(chunk)))
  answer.on('end', () => (heard.isEnded = true))
  answer.on('error', () => {})
  return { answer, heard }
}

test('a header tells proxies not to buffer lines', async t => {
  const { answer } = await monitor(t, await logging(t))
  t.is(answer.headers['x-accel-buffering'], 'no')
})

test('lines of the level asked for are sent as they are written, without secrets', async t => {
  const server = await logging(t)
  const { answer, heard } = await monitor(t, server, '?loglevel=warn&logjson')
  t.is(answer.statusCode, 200)
  server.app.logger.info('not this one')
  server.app.logger.warn({ SecretID: SECRET }, 'this one')
  server.app.logger.error('and this one')
  await until('the lines', () => heard.text.includes('and this one'))
  const lines = heard.text.trim().split('\n')
  t.deepEqual(
    lines.map(line => JSON.parse(line).msg),
    ['this one', 'and this one']
  )
  t.false(heard.text.includes(SECRET))
})

test('lines are text unless JSON is asked for, and those of info and above', async t => {
  const server = await logging(t)
  const { heard } = await monitor(t, server)
  server.app.logger.debug('not this one')
  server.app.logger.info('this one')
  await until('the line', () => heard.text.includes('this one'))
  t.regex(heard.text, /\[INFO\].*this one/)
  t.false(heard.text.includes('{'))
  t.false(heard.text.includes('not this one'))
})

test('who goes away is forgotten, and the end of the server ends all', async t => {
  const server = await logging(t)
  const [gone, staying] = [await monitor(t, server), await monitor(t, server)]
  t.is(server.app.logLines.size, 2)
  gone.answer.destroy()
  await until('it is forgotten', () => server.app.logLines.size === 1)
  await server.close()
  await until('the other one ends', () => staying.heard.isEnded)
  t.is(server.app.logLines.size, 0)
})

test('an unknown level is refused, and so is who may not read the agent', async t => {
  const server = await logging(t)
  const answer = await server.send('GET', '/v1/agent/monitor?loglevel=loud')
  t.is(answer.status, 400)
  t.regex(answer.text, /Unknown log level "loud"/)
  t.is((await server.send('GET', '/v1/agent/monitor', { token: undefined })).status, 403)
})

test('lines below the log level of the server reach those who follow, and its own output does not have them', async t => {
  const output: string[] = []
  const server = await serverInProcess(t, {
    register: scope => {
      const settings = { log: { level: 'warn' as const, pretty: false } }
      const write = (line: string): void => void output.push(line)
      scope.registerInstance(LOGGER, createLogger(settings, { write }, scope.resolve(LogLines)))
    }
  })
  const { logger } = server.app
  const [debug, info] = [
    await monitor(t, server, '?loglevel=debug'),
    await monitor(t, server, '?loglevel=info')
  ]
  logger.debug('a detail')
  logger.info('news')
  logger.warn('a warning')
  await until('the lines', () => [debug, info].every(({ heard }) => heard.text.includes('a warning')))
  t.regex(debug.heard.text, /a detail[^]*news/)
  t.regex(info.heard.text, /news/)
  t.notRegex(info.heard.text, /a detail/)
  for (const { answer } of [debug, info]) answer.destroy()
  await until('no one follows', () => server.app.logLines.size === 0)
  t.false(logger.isLevelEnabled('info'))
  logger.info('unheard')
  t.deepEqual(
    output.filter(line => /detail|news|unheard|a warning/.test(line)).map(line => JSON.parse(line).msg),
    ['a warning']
  )
})

test('a reload sets the log level of the server while it is followed', async t => {
  const lines = new LogLines()
  const output: string[] = []
  const logger = createLogger(
    { log: { level: 'info', pretty: false } },
    { write: line => void output.push(line) },
    lines
  )
  const followed: string[] = []
  const stop = lines.follow(line => void followed.push(line), 'debug')
  lines.setOwnLevel(logger, 'error')
  logger.debug('one')
  logger.error('two')
  stop()
  logger.warn('three')
  t.is(logger.level, 'error')
  t.deepEqual([followed.length, output.length], [2, 1])
})
