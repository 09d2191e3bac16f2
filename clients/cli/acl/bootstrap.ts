// `annals bootstrap`
import { remoteCommand } from '../remote/command.js'
import { tokenText, type Token } from './token-kind.js'

export const bootstrap = remoteCommand({
  summary: 'Make the first management token, once.',
  about:
    'Its SecretID is the key to everything: keep it. When all such tokens are lost, write the reset index that the refusal tells into the\nfile acl-bootstrap-reset of the data folder, and ask again.',
  examples: [
    'annals bootstrap',
    'export ANNALS_HTTP_TOKEN=$(annals bootstrap --json | jq -r .SecretID)   in a script'
  ],
  run: async ({ send, out }) => {
    out.show(await (await send('PUT', '/v1/acl/bootstrap')).json<Token>(), tokenText)
  }
})
