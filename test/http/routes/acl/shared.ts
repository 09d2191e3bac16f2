// What the tests of routes about rights have in common.
import type { ExecutionContext } from 'ava'
import type { TestResponse } from '../../../support/client.js'
import type { TestServer } from '../../../support/server.js'
import { pem } from '../../../support/stub-provider.js'
import { secretWith } from '../../support.js'

/** The body of an auth method whose logins have a team. */
export const METHOD = {
  Name: 'ci',
  Type: 'jwt',
  Config: {
    JWTValidationPubKeys: [pem('ca.pem')],
    BoundAudiences: ['annals'],
    ClaimMappings: { team: 'team' }
  }
}

/** Writes a resource and returns it. @throws Error when it is refused */
export const put = async (
  server: TestServer,
  path: string,
  body: object
): Promise<Record<string, string>> => {
  const answer = await server.send('PUT', path, { body })
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status} ${answer.text}`)
  return JSON.parse(answer.text)
}

/** Checks that a request, which is invalid besides, is denied to a token without `acl:read`. */
export const isDenied = async (
  t: ExecutionContext,
  server: TestServer,
  ask: (token: string) => Promise<TestResponse>
): Promise<void> => {
  const { status, text } = await ask(await secretWith(server, 'nothing', 'key "a" { policy = "read" }'))
  t.is(status, 403)
  t.regex(text, /lacks permission 'acl:read'/)
}
