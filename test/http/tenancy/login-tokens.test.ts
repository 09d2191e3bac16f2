// Lists of the tokens that the logins of an auth method created, by partition and namespace.
import test from 'ava'
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { serverInProcess } from '../../support/server.js'
import { call } from './support.js'

test('with all namespaces, a list by auth method means the method of a namespace in the requested partition', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  await call(server, 'PUT', '/v1/namespace?partition=p', { Name: 'n' })
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const BearerToken = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  const Config = { JWTValidationPubKeys: [publicKey.export({ type: 'spki', format: 'pem' })] }
  for (const tenancy of ['partition=default', 'partition=p', 'partition=p&ns=n']) {
    await call(server, 'PUT', `/v1/acl/auth-method?${tenancy}`, { Name: 'm', Type: 'jwt', Config })
    const rule = { AuthMethod: 'm', BindType: 'service', BindName: 'web' }
    await call(server, 'PUT', `/v1/acl/binding-rule?${tenancy}`, rule)
    await call(server, 'POST', `/v1/acl/login?${tenancy}`, { AuthMethod: 'm', BearerToken })
  }
  const { SecretID } = await call(server, 'PUT', '/v1/acl/token?partition=p&ns=n', {
    Policies: [{ Name: 'namespace-management' }]
  })
  const placesOf = async (query: string, token?: string): Promise<string[]> => {
    const path = `/v1/acl/tokens?authmethod=m&${query}`
    const listed: { readonly Partition?: string; readonly Namespace?: string }[] = await call(
      server,
      'GET',
      path,
      undefined,
      token
    )
    return listed.map(({ Partition = 'default', Namespace = '' }) => `${Partition}/${Namespace}`)
  }
  t.deepEqual(await placesOf('ns=*'), ['default/default'])
  t.deepEqual(await placesOf('partition=p&ns=*'), ['p/default'])
  t.deepEqual(await placesOf('partition=p&ns=*&authmethod-ns=n'), ['p/n'])
  t.deepEqual(await placesOf('ns=*', SecretID), ['p/n'])
})
