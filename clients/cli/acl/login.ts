import { writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { UsageError } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { contentOf } from '../remote/content.js'
import { pairs, text } from '../remote/flags.js'
import { tokenText } from './tokens.js'

export const bootstrap = remoteCommand({
  summary: 'Create the first management token. This works once.',
  about:
    'Its SecretID grants all permissions. If all management tokens are lost, write the reset index from the error into the\nfile acl-bootstrap-reset of the data folder, and repeat the command.',
  examples: [
    'annals bootstrap',
    'export ANNALS_HTTP_TOKEN=$(annals bootstrap --json | jq -r .SecretID)   in a script'
  ],
  run: async ({ write, out }) => out.show(await write('put', '/v1/acl/bootstrap', undefined), tokenText)
})

export const login = remoteCommand({
  summary: 'Log in with an auth method, which exchanges a credential for a token.',
  about:
    'The command prints the token, or writes its secret to --token-sink-file, from which --token-file reads it. With --type oidc it\nprints a URL. Open the URL in a browser, which then returns to this program.',
  examples: [
    'annals login -method ci -bearer-token-file token.jwt -token-sink-file ~/.annals-token',
    'annals login -method people -type oidc'
  ],
  flags: {
    method: text('name', 'auth method to log in with'),
    type: text('type', 'type of the login; oidc opens a browser', { choices: ['oidc'] }),
    bearerTokenFile: text('file', 'file with the credential, a JWT; - for standard input'),
    tokenSinkFile: text('file', 'file for the secret of the token, readable by its owner only'),
    meta: pairs('metadata in the description of the token'),
    oidcCallbackListenAddr: text(
      'host:port',
      'address to which the browser returns (default: localhost:8550)'
    )
  },
  run: async ({ write, out, flags, console }) => {
    const { method, type, bearerTokenFile, tokenSinkFile, meta } = flags
    if (method === undefined) throw new UsageError('--method is required')
    if ((type === 'oidc') === (bearerTokenFile !== undefined))
      throw new UsageError('one of --bearer-token-file and --type oidc is required')
    const about = { AuthMethod: method, Meta: meta }
    const token =
      bearerTokenFile === undefined
        ? await (
            await import('./oidc-login.js')
          ).oidcLogin({ write, console, about, address: flags.oidcCallbackListenAddr })
        : await write('post', '/v1/acl/login', {
            ...about,
            BearerToken: (await credential(bearerTokenFile, console)).toString().trim()
          })
    if (tokenSinkFile === undefined) return out.show(token, tokenText)
    await writeFile(tokenSinkFile, token.SecretID, { mode: 0o600 })
    out.note(`Logged in with token ${token.AccessorID}; its secret is in ${tokenSinkFile}`)
  }
})

const credential = (file: string, console: Parameters<typeof contentOf>[1]): Promise<Buffer> =>
  file === '-' ? buffer(console.in) : contentOf(`@${file}`, console)

export const logout = remoteCommand({
  summary: 'Log out: delete the token of the login.',
  examples: ['annals logout --token-file ~/.annals-token'],
  run: async ({ write, out }) => {
    await write('post', '/v1/acl/logout', undefined)
    out.note('Logged out')
  }
})
