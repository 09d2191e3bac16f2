// Requests about namespaces, for the tests of tenancy.
import type { TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'

// oxlint-disable-next-line typescript/no-explicit-any -- answers of many forms, looked at by assertions alone
type Json = any

/** Sends a request and returns its JSON. @throws Error with the response unless it succeeds */
export const call = async (
  server: TestServer,
  method: string,
  path: string,
  body?: unknown,
  token?: string
): Promise<Json> => {
  const { status, text } = await server.send(method, path, {
    body,
    ...(token === undefined ? {} : { token })
  })
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

export const makeNamespaces = async (server: TestServer, ...names: readonly string[]): Promise<void> => {
  for (const Name of names) await call(server, 'PUT', '/v1/namespace', { Name })
}

/** Creates a token of a namespace with these rules, and returns its secret. */
export const tenant = async (
  server: TestServer,
  namespace: string,
  rules: string,
  name = 'tenant'
): Promise<string> => {
  await call(server, 'PUT', `/v1/acl/policy?ns=${namespace}`, { Name: name, Rules: rules })
  const body = { Policies: [{ Name: name }] }
  return (await call(server, 'PUT', `/v1/acl/token?ns=${namespace}`, body)).SecretID
}

/** Writes keys into a namespace, several in a transaction. */
export const fillKeys = async (
  server: TestServer,
  Namespace: string,
  count: number,
  Partition = 'default'
): Promise<void> => {
  for (let at = 0; at < count; at += 64) {
    const length = Math.min(64, count - at)
    const body = Array.from({ length }, (_, i) => ({
      KV: { Verb: 'set', Key: `k/${at + i}`, Value: 'dg==', Namespace, Partition }
    }))
    await call(server, 'PUT', '/v1/txn', body)
  }
}

/** Resolves when the namespace or partition is deleted. */
export const waitUntilDeleted = (server: TestServer, path: string): Promise<boolean> =>
  until(`${path} is gone`, async () => (await server.send('GET', path)).status === 404)

/** Resolves at the first moment at which a part of the keys of a namespace is deleted. */
export const partDeleted = ({ app }: TestServer, namespace: string, count: number): Promise<void> =>
  new Promise(resolve => {
    const look = (): void => {
      if (app.views.kv.sizeUnder({ partition: 'default', namespace }, '') === count) return
      app.committer.signals.off('applied', look)
      resolve()
    }
    app.committer.signals.on('applied', look)
  })
