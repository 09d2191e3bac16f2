// Change sets as tests send them.
import { generateKeyPairSync } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { ROOT, type TestServer } from '../../../support/server.js'

export interface Outcome {
  readonly Kind: string
  readonly Name: string
  readonly Namespace?: string
  readonly Action: string
  readonly Index: number
  readonly Patch: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[]
  readonly SecretsChange?: true
  readonly SecretID?: string
  readonly Others?: readonly { readonly Topic: string; readonly Key: string }[]
  readonly Refusal?: { readonly Status: number; readonly Message: string }
}

export interface ChangeSetOutcome {
  readonly ID: string
  readonly Index?: number
  readonly DryRun?: true
  readonly Changes: readonly Outcome[]
}

export const send = (server: TestServer, body: object, query = '', token: string | undefined = ROOT) =>
  server.send('POST', `/v1/changes${query}`, { body, token })

/** Sends a change set that must succeed. */
export const apply = async (
  t: ExecutionContext,
  server: TestServer,
  body: object,
  query = ''
): Promise<ChangeSetOutcome> => {
  const { status, text } = await send(server, body, query)
  t.is(status, 200, text)
  return JSON.parse(text)
}

export const actionsOf = ({ Changes }: ChangeSetOutcome): readonly string[] =>
  Changes.map(({ Kind, Name, Action }) => `${Action} ${Kind} ${Name}`)

const AUTH_METHOD = {
  Kind: 'auth-method',
  Name: 'jwt',
  Body: {
    Type: 'jwt',
    Config: {
      BoundIssuer: 'i',
      JWTValidationPubKeys: [
        generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .publicKey.export({ type: 'spki', format: 'pem' })
          .toString()
      ]
    }
  }
}

/** One resource of each kind, each of which refers to others where it can; in an order in which no reference is satisfied. */
export const EVERY_KIND = [
  { Kind: 'key', Name: 'web/port', Body: { Value: 'ODA=', Flags: 7 } },
  { Kind: 'query', Name: 'web', Body: { Service: { Service: 'web' } } },
  {
    Kind: 'config-entry',
    Name: 'service-intentions/web',
    Body: { Sources: [{ Name: 'api', Action: 'allow' }] }
  },
  {
    Kind: 'config-entry',
    Name: 'service-router/web',
    Body: { Routes: [{ Match: { HTTP: { PathPrefix: '/admin' } }, Destination: { Service: 'admin' } }] }
  },
  { Kind: 'config-entry', Name: 'service-defaults/admin', Body: { Protocol: 'http' } },
  { Kind: 'config-entry', Name: 'service-defaults/web', Body: { Protocol: 'http' } },
  { Kind: 'token', Name: 'ci', Body: { Description: 'of CI', Roles: [{ Name: 'deployer' }] } },
  {
    Kind: 'binding-rule',
    Name: 'people-deploy',
    Body: { AuthMethod: 'jwt', BindType: 'role', BindName: 'deployer' }
  },
  { Kind: 'role', Name: 'deployer', Body: { Policies: [{ Name: 'deploy' }] } },
  { Kind: 'policy', Name: 'deploy', Body: { Rules: 'key_prefix "web/" { policy = "write" }' } },
  { Kind: 'namespace', Name: 'team', Body: { ACLs: { PolicyDefaults: [{ Name: 'deploy' }] } } },
  {
    Kind: 'policy',
    Name: 'team-read',
    Namespace: 'team',
    Body: { Rules: 'key_prefix "" { policy = "read" }' }
  },
  { Kind: 'partition', Name: 'west', Body: { Description: 'western' } },
  AUTH_METHOD
]
