// Bodies and responses of login and of the OIDC flow (spec: auth.md §8, §10; api.md).
import * as Type from 'typebox'
import { strict, tenancyFields, text, sample, view } from './view.js'

const meta = Type.Optional(
  Type.Record(Type.String(), Type.String(), { description: 'Goes into the description of the token' })
)

export const loginBody = strict(
  {
    AuthMethod: text('Name of the auth method'),
    BearerToken: text('The credential: a JWT, or the JWT of a service account'),
    Meta: meta,
    ...tenancyFields
  },
  {
    $id: 'LoginInput',
    examples: [{ AuthMethod: 'ci', BearerToken: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', Meta: { job: '42' } }]
  }
)

export const authUrlBody = strict(
  {
    AuthMethod: text('Name of an auth method of type oidc'),
    RedirectURI: text('Where the provider sends the browser back to; one that the method allows'),
    ClientNonce: text('Must be given again at the callback'),
    Meta: meta,
    ...tenancyFields
  },
  {
    $id: 'AuthURLInput',
    examples: [
      { AuthMethod: 'people', RedirectURI: 'http://localhost:8550/oidc/callback', ClientNonce: 'n-7f0a24' }
    ]
  }
)

export const callbackBody = strict(
  {
    AuthMethod: text('Name of the auth method'),
    State: text('The state that the provider sent back'),
    Code: text('The code that the provider sent back'),
    ClientNonce: text('The one given for the URL'),
    Meta: meta,
    ...tenancyFields
  },
  {
    $id: 'CallbackInput',
    examples: [{ AuthMethod: 'people', State: 's-14fae9', Code: 'c-0d2ff1', ClientNonce: 'n-7f0a24' }]
  }
)

export const authUrl = view('AuthURL', {
  AuthURL: sample.text('https://login.example/authorize?client_id=annals&state=s-14fae9')
})

export const signInCodeBody = strict(
  { Code: text('The code of `POST /v1/acl/sign-in-code`') },
  { $id: 'SignInInput', examples: [{ Code: '7d3f0a24' }] }
)

export const signInCode = view('SignInCode', {
  Code: sample.text('7d3f0a24'),
  ExpiresInSeconds: sample.integer(60)
})

export const signInToken = view('SignInToken', {
  SecretID: sample.text('049c4b06-7bff-40f3-a631-0d2ff1b0e0a4')
})
