// Answers of the API as values, for the tests of HTTP.
import type { TestResponse } from '../support/client.js'
import type { TestServer } from '../support/server.js'

export interface TokenResponse {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly Policies: readonly { readonly ID: string; readonly Name: string }[] | null
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly [field: string]: unknown
}

export const tokenOf = ({ text }: TestResponse): TokenResponse => JSON.parse(text)
export const indexOf = ({ headers }: TestResponse): number => Number(headers['x-service-index'])

/** Makes a token. @throws Error when it is refused */
export const createToken = async (server: TestServer, body: object = {}): Promise<TokenResponse> => {
  const answer = await server.send('PUT', '/v1/acl/token', { body })
  if (answer.status !== 200) throw new Error(`the token was answered ${answer.status} ${answer.text}`)
  return tokenOf(answer)
}

/** Makes a policy and answers with its ID. @throws Error when it is refused */
export const createPolicy = async (server: TestServer, Name: string, Rules: string): Promise<string> => {
  const { status, text } = await server.send('PUT', '/v1/acl/policy', { body: { Name, Rules } })
  if (status !== 200) throw new Error(`the policy was answered ${status} ${text}`)
  const { ID }: { readonly ID: string } = JSON.parse(text)
  return ID
}

/** Makes a token with these rules and answers with its secret. */
export const secretWith = async (server: TestServer, name: string, rules: string): Promise<string> => {
  const ID = await createPolicy(server, name, rules)
  return (await createToken(server, { Policies: [{ ID }] })).SecretID
}

/** Operations of a transaction. */
const OPERATIONS = 64

/** Writes the values of many keys, some of them in each commit. */
export const writeKeys = async (server: TestServer, values: ReadonlyMap<string, string>): Promise<void> => {
  const operations = Array.from(values, ([Key, value]) => ({
    KV: { Verb: 'set', Key, Value: Buffer.from(value).toString('base64') }
  }))
  for (let at = 0; at < operations.length; at += OPERATIONS)
    await server.send('PUT', '/v1/txn', { body: operations.slice(at, at + OPERATIONS) })
}
