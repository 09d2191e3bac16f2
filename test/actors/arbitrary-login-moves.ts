// Commands about auth methods, binding rules, logins in progress, and roles.
import fc from 'fast-check'
import { authMethodAggregate } from '../../actors/auth-method/auth-method.js'
import { bindingRuleAggregate } from '../../actors/binding-rule.js'
import { oidcRequestAggregate } from '../../actors/oidc-request.js'
import { roleAggregate } from '../../actors/role.js'
import { id } from './acl-resources.js'
import { move, type Move } from './arbitrary-move.js'
import { PUBLIC_KEY } from './login/login-resources.js'

const number = fc.nat(3)
const method = fc.constantFrom('m', 'M', 'other')
const kept = {
  Config: {},
  DisplayName: '',
  Description: '',
  MaxTokenTTL: 0,
  TokenLocality: '',
  NamespaceRules: []
}

export const loginMoves: readonly fc.Arbitrary<Move>[] = [
  move(fc.tuple(method, fc.boolean()), authMethodAggregate, ([Name, isJwt], parts) => ({
    ...parts,
    name: 'PutAuthMethod' as const,
    data: isJwt
      ? { ...kept, Name, Type: 'jwt', Config: { JWTValidationPubKeys: [PUBLIC_KEY] } }
      : {
          ...kept,
          Name,
          Type: 'oidc',
          Config: {
            OIDCDiscoveryURL: 'https://example.com',
            OIDCClientID: 'c',
            OIDCClientSecret: 'secret',
            AllowedRedirectURIs: ['http://localhost/cb']
          }
        }
  })),
  move(method, authMethodAggregate, (name, parts) => ({
    ...parts,
    name: 'DeleteAuthMethod' as const,
    data: { name }
  })),
  move(fc.tuple(number, method), bindingRuleAggregate, ([n, AuthMethod], parts) => ({
    ...parts,
    name: 'CreateBindingRule' as const,
    data: {
      newId: id(700 + n),
      AuthMethod,
      Description: '',
      Selector: '',
      BindType: 'service',
      BindName: 'web'
    }
  })),
  move(number, bindingRuleAggregate, (n, parts) => ({
    ...parts,
    name: 'DeleteBindingRule' as const,
    data: { id: id(700 + n) }
  })),
  move(fc.tuple(number, method), oidcRequestAggregate, ([n, name], parts) => ({
    ...parts,
    name: 'OpenOidcRequest' as const,
    data: {
      newId: id(800 + n),
      method: name,
      redirectUri: 'http://localhost/cb',
      meta: {},
      State: `state ${n}`,
      Nonce: 'n',
      CodeVerifier: 'v',
      ClientNonce: ''
    }
  })),
  move(fc.tuple(number, method), oidcRequestAggregate, ([n, name], parts) => ({
    ...parts,
    name: 'UseOidcRequest' as const,
    data: { state: `state ${n}`, method: name }
  })),
  move(number, roleAggregate, (n, parts) => ({
    ...parts,
    name: 'CreateRole' as const,
    data: {
      newId: id(300 + n),
      Name: `role-${n % 2}`,
      Description: '',
      Policies: [{ Name: 'web' }].slice(n % 2),
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: []
    }
  })),
  move(number, roleAggregate, (n, parts) => ({
    ...parts,
    name: 'DeleteRole' as const,
    data: { id: id(300 + n) }
  }))
]
