// Servers that other machines can reach.
import test, { type ExecutionContext } from 'ava'
import { createLogger } from '../../../../server/telemetry/logging/logger.js'
import { LOGGER } from '../../../../server/settings/ports.js'
import { serverInProcess, testSettings } from '../../../support/server.js'
import { SERVER_FILES } from './support.js'

const OPEN = { bind: '0.0.0.0' }
const TLS = { ports: { http: -1, https: 0, dns: -1 } }
const NO_ACLS = { acl: { enabled: false } }

const warnings = async (t: ExecutionContext, config: Readonly<Record<string, unknown>>): Promise<string> => {
  const lines: string[] = []
  await serverInProcess(t, {
    config,
    register: scope => {
      const write = (line: string): void => void lines.push(line)
      scope.registerInstance(LOGGER, createLogger({ log: { level: 'warn', pretty: false } }, { write }))
    }
  })
  return lines.join('')
}

test('who can be reached without TLS, or with ACLs off, is warned at the start', async t => {
  t.regex(await warnings(t, OPEN), /HTTP listens on 0\.0\.0\.0 without TLS/)
  t.regex(await warnings(t, { ...OPEN, ...TLS, ...NO_ACLS, tls: { http: SERVER_FILES } }), /with ACLs off/)
  t.is(await warnings(t, { ...OPEN, ...TLS, tls: { http: SERVER_FILES } }), '')
  t.is(await warnings(t, NO_ACLS), '')
  const both = { ports: { http: 0, https: 0, dns: -1 }, addresses: { https: '0.0.0.0' } }
  t.is(await warnings(t, { ...both, tls: { http: SERVER_FILES } }), '')
})

test('tls.required refuses such a server', t => {
  const refusal = (config: Readonly<Record<string, unknown>>): string => {
    try {
      testSettings(t, { config })
      return 'accepted'
    } catch (error) {
      return error instanceof Error ? error.message : ''
    }
  }
  const required = { tls: { required: true, http: SERVER_FILES } }
  t.regex(
    refusal({ ...OPEN, ...required }),
    /tls\.required.*must not be true while HTTP listens on 0\.0\.0\.0/
  )
  t.regex(refusal({ ...OPEN, ...TLS, ...NO_ACLS, ...required }), /ACLs off/)
  t.is(refusal({ ...OPEN, ...TLS, ...required }), 'accepted')
  t.is(refusal(required), 'accepted')
})
