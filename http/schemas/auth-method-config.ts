// The Config of auth methods by type, for the API documentation (spec: auth.md §2 to §4). Methods also accept similar
// types, such as a text for a list of one, and return them unchanged.
import * as Type from 'typebox'

type View = 'given' | 'shown'

const scalar = [Type.String(), Type.Number(), Type.Boolean()]
const near = Type.Union(scalar)

/** Schemas of each kind of value, as callers should write it, or as responses may contain it. */
const views = (view: View) => {
  const isShown = view === 'shown'
  const options = (description: string) => ({ description })
  return {
    word: (description: string) =>
      isShown ? Type.Union(scalar, options(description)) : Type.String(options(description)),
    words: (description: string) =>
      isShown
        ? Type.Union([Type.Array(near), ...scalar], options(description))
        : Type.Array(Type.String(), options(description)),
    map: (description: string) =>
      Type.Record(Type.String(), isShown ? near : Type.String(), options(description)),
    leeway: (description: string) => Type.Union([Type.String(), Type.Integer()], options(description)),
    flag: (description: string) =>
      isShown ? Type.Union(scalar, options(description)) : Type.Boolean(options(description))
  }
}

const configsIn = (view: View) => {
  const { word, words, map, leeway, flag } = views(view)
  const shared = {
    OIDCDiscoveryURL: word('Issuer, below which the keys are found'),
    OIDCDiscoveryCACert: word('PEM of the CA of the issuer; the system’s own when not given'),
    BoundAudiences: words('Audiences of which a JWT must have one'),
    JWTSupportedAlgs: words('Algorithms of signatures that are taken'),
    ClaimMappings: map('Names for claims that hold one value'),
    ListClaimMappings: map('Names for claims that hold lists')
  }
  const named = (name: string, keys: Record<string, Type.TSchema>) =>
    Type.Partial(Type.Object(keys), {
      additionalProperties: false,
      $id: view === 'given' ? `${name}Input` : name
    })
  return [
    named('JWTConfig', {
      JWKSURL: word('Where the keys are'),
      JWKSCACert: word('PEM of the CA of that server'),
      JWTValidationPubKeys: words('Public keys in PEM'),
      BoundIssuer: word('Issuer that a JWT must have'),
      ExpirationLeeway: leeway('How long after its end a JWT is taken: a duration or nanoseconds'),
      NotBeforeLeeway: leeway('How long before its begin a JWT is taken: a duration or nanoseconds'),
      ClockSkewLeeway: leeway('How far clocks may differ: a duration or nanoseconds'),
      ...shared
    }),
    named('KubernetesConfig', {
      Host: word('Base URL of the API server'),
      CACert: word('PEM of its CA'),
      ServiceAccountJWT: word('JWT with which the API server is asked; <hidden> without acl:write')
    }),
    named('OIDCConfig', {
      OIDCClientID: word('Client that was registered with the provider'),
      OIDCClientSecret: word('Its secret; <hidden> without acl:write'),
      OIDCScopes: words('Scopes that are asked for besides openid'),
      OIDCACRValues: words('Authentication contexts that are asked for'),
      AllowedRedirectURIs: words('Where the provider may send the browser back to'),
      VerboseOIDCLogging: flag('Whether the claims are logged at level debug'),
      ...shared
    })
  ]
}

/** In bodies, in the order jwt, kubernetes, oidc. */
export const configInputs = configsIn('given')
/** In responses, in the same order. */
export const configViews = configsIn('shown')
