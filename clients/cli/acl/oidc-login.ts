import { messageOf } from '../../../events/errors.js'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Schemas } from '../../typescript/typed/index.js'
import { UsageError, Failed } from '../console.js'
import type { Run } from '../remote/command.js'
import { safe } from '../remote/output.js'

/** The redirect address that auth methods for Consul allow. */
const ADDRESS = 'localhost:8550'
const PATH = '/oidc/callback'

interface OidcLogin extends Pick<Run, 'write' | 'console'> {
  readonly about: { readonly AuthMethod: string; readonly Meta: Readonly<Record<string, string>> }
  readonly address: string | undefined
}

interface Returned {
  readonly State: string
  readonly Code: string
}

const say = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
  response.end(`${text}\n`)
}

/** Returns undefined for other requests than the callback. @throws Failed if the provider refuses */
const returnedIn = ({ url = '' }: IncomingMessage): Returned | undefined => {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  if (pathname !== PATH) return undefined
  const error = searchParams.get('error')
  if (error !== null)
    throw new Failed(`the provider refused: ${safe(searchParams.get('error_description') ?? error)}`)
  return { State: searchParams.get('state') ?? '', Code: searchParams.get('code') ?? '' }
}

/** @throws UsageError */
const listening = (address: string): { readonly host: string; readonly port: number } => {
  const url = URL.canParse(`http://${address}`) ? new URL(`http://${address}`) : undefined
  if (!url || url.port === '')
    throw new UsageError(`--oidc-callback-listen-addr is HOST:PORT, not "${address}"`)
  return { host: url.hostname.replaceAll(/[[\]]/g, ''), port: Number(url.port) }
}

/** Waits for the browser's callback, passes it to `use`, and shows the outcome in the browser. */
const withBrowser = async (
  address: string,
  onReady: () => Promise<void>,
  use: (returned: Returned) => Promise<Schemas['Token']>
): Promise<Schemas['Token']> => {
  const server = createServer()
  server.listen(listening(address))
  await once(server, 'listening')
  try {
    return await new Promise<Schemas['Token']>((resolve, reject) => {
      const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        try {
          const returned = returnedIn(request)
          if (!returned) return say(response, 404, 'There is nothing here.')
          const token = await use(returned)
          say(response, 200, 'You are logged in. This page can be closed.')
          resolve(token)
        } catch (error) {
          say(response, 400, `The login failed: ${messageOf(error)}`)
          reject(error)
        }
      }
      server.on('request', (request, response) => void handle(request, response))
      server.on('error', reject)
      onReady().catch(reject)
    })
  } finally {
    server.close()
  }
}

export const oidcLogin = ({
  write,
  console,
  about,
  address = ADDRESS
}: OidcLogin): Promise<Schemas['Token']> => {
  const ClientNonce = randomUUID()
  const showUrl = async (): Promise<void> => {
    const body = { ...about, ClientNonce, RedirectURI: `http://${address}${PATH}` }
    const { AuthURL } = await write('post', '/v1/acl/oidc/auth-url', body)
    console.err.write(`Open this address in a browser, and log in there:\n\n  ${AuthURL}\n\n`)
  }
  return withBrowser(address, showUrl, returned =>
    write('post', '/v1/acl/oidc/callback', { ...about, ClientNonce, ...returned })
  )
}
