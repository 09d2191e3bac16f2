// The Config of auth methods by type, for the description of the API (spec: auth.md §2 to §4). What a method takes is
// decided where it is read: it also takes near types, such as a text for a list of one, and shows them as they came.
import * as Type from 'typebox'

type View = 'given' | 'shown'

const scalar = [Type.String(), Type.Number(), Type.Boolean()]
const near = Type.Union(scalar)

/** How the values of each kind are described: as they should be given, and as they may have been. */
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

const formsIn = (view: View) => {
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

/** What a caller writes, by type in the order jwt, kubernetes, oidc. */
export const configInputs = formsIn('given')
/** What answers show, in the same order. */
export const configViews = formsIn('shown')
