import test from 'ava'
import { createLogger, ecsLine } from '../../../../server/telemetry/logging/logger.js'
import { prettyLine } from '../../../../server/telemetry/logging/pretty.js'

const SECRET = 'b6e29626-e23d-98b4-e19f-c71a96fbdef7'

const capture = (level: 'trace' | 'info' = 'trace', pretty = false) => {
  const lines: string[] = []
  const logger = createLogger({ log: { level, pretty } }, { write: line => lines.push(line) })
  return { logger, lines }
}

test('a request is logged without its headers and its token', t => {
  const { logger, lines } = capture()
  const headers = { authorization: `Bearer ${SECRET}`, 'x-consul-token': SECRET }
  logger.info(
    { req: { id: 'r1', method: 'GET', url: `/v1/kv/a?token=${SECRET}`, ip: '::1', headers } },
    'request'
  )
  const [line = ''] = lines
  t.false(line.includes(SECRET))
  const { req, level, msg, time } = JSON.parse(line)
  t.deepEqual(req, { id: 'r1', method: 'GET', url: '/v1/kv/a?token=[redacted]', ip: '::1' })
  t.is(level, 'info')
  t.is(msg, 'request')
  t.regex(time, /^\d{4}-\d\d-\d\dT.*Z$/)
})

test('no secret is written, wherever it is in what is logged', t => {
  const { logger, lines } = capture()
  const token = { AccessorID: 'a', SecretID: SECRET }
  logger.info({ token, deep: [{ list: { headers: { 'X-Service-Token': [SECRET] } } }] }, 'objects')
  logger
    .child({ stub: token, request: { SecretID: SECRET } })
    .warn({ body: JSON.stringify(token) }, `at ?token=${SECRET}`)
  const refused = new Error(`GET http://127.0.0.1/v1/kv?token=${SECRET} refused`, {
    cause: new Error(`Bearer ${SECRET}`)
  })
  logger.error(
    Object.assign(refused, { options: { headers: { authorization: SECRET } }, code: 'ECONNREFUSED' })
  )
  t.is(lines.length, 3)
  for (const line of lines) {
    t.false(line.includes(SECRET), line)
    t.notThrows(() => JSON.parse(line))
  }
  t.is(JSON.parse(lines[2] ?? '').err.code, 'ECONNREFUSED')
})

test('the level of the settings is the least severe that is logged', t => {
  const { logger, lines } = capture('info')
  logger.debug('not this')
  logger.warn('this')
  t.deepEqual(
    lines.map(line => JSON.parse(line).msg),
    ['this']
  )
})

test('pretty lines show level, message, fields and the stack', t => {
  const { logger, lines } = capture('info', true)
  logger.info({ address: '127.0.0.1', nested: { port: 8500, text: 'two words' } }, 'listening')
  t.regex(
    lines[0] ?? '',
    /^\d\d:\d\d:\d\d\.\d{3} \[INFO\] {2}listening {2}address=127.0.0.1 {2}nested.port=8500 {2}nested.text="two words"\n$/
  )
  logger.error({ err: new Error('boom'), token: SECRET }, 'failed')
  t.regex(lines[1] ?? '', /\[ERROR\] failed.*err\.message=boom\nError: boom\n/s)
  t.false((lines[1] ?? '').includes(SECRET))
  t.is(prettyLine('not JSON\n'), 'not JSON\n')
})

test('in the form of the Elastic Common Schema an error has its stack, and other fields stand below annals', t => {
  const lines: string[] = []
  const log = { level: 'trace', ecs: true } as const
  const logger = createLogger({ log }, { write: line => void lines.push(line) })
  logger.warn({ err: new TypeError(`at ?token=${SECRET}`), file: 'a.log', ms: 3 }, 'cannot be read')
  const { error, ...fields } = JSON.parse(lines[0] ?? '')
  t.like(error, { type: 'TypeError', message: 'at ?token=[redacted]' })
  t.regex(error.stack_trace, /^TypeError: at .*\n +at /)
  t.like(fields, { 'log.level': 'warn', message: 'cannot be read', annals: { file: 'a.log', ms: 3 } })
  t.false('http' in fields)
  t.is(ecsLine('not JSON\n'), 'not JSON\n')
})
