import { refusedWith, type RouteResponse } from './response.js'
import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import sirv from 'sirv'
import { PACKAGE_FOLDER } from '../../events/program-files.js'

interface Build {
  readonly command: string
  readonly policy: string
  /** True for a single page that does its own routing. */
  readonly isOnePage?: true
}

const BUILDS: Readonly<Record<string, Build>> = {
  // Each page contains its own policy for loading.
  docs: { command: 'npm run site', policy: "frame-ancestors 'none'" },
  ui: {
    command: 'npm run build',
    policy:
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    isOnePage: true
  }
}

/** Files with content hashes in their names, which both builds put into this folder. */
const HASHED = /^\/\w+\/assets\//

type Serve = (request: IncomingMessage, response: ServerResponse, orElse: () => void) => void

/** Serves pages without authorization. */
export class Pages {
  readonly #serve: Serve | undefined
  readonly #built: ReadonlySet<string>

  /** @param folder its files, which must not change later */
  constructor(folder: string) {
    this.#built = new Set(Object.keys(BUILDS).filter(name => existsSync(join(folder, name))))
    // sirv lists the files now and never reads others.
    if (this.#built.size > 0)
      this.#serve = sirv(folder, {
        etag: true,
        brotli: true,
        gzip: true,
        setHeaders: (response, path) => {
          const { policy = '' } = BUILDS[firstSegment(path)] ?? {}
          response.setHeader('Content-Security-Policy', policy)
          response.setHeader(
            'Cache-Control',
            HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
          )
          response.setHeader('X-Content-Type-Options', 'nosniff')
          response.setHeader('Referrer-Policy', 'no-referrer')
        }
      })
  }

  get paths(): readonly string[] {
    return Object.keys(BUILDS).flatMap(name => [`/${name}`, `/${name}/*`])
  }

  /** Sends a page, or calls `refuse` if there is none. */
  show(request: IncomingMessage, response: ServerResponse, refuse: (answer: RouteResponse) => void): void {
    const serve = this.#serve
    const name = firstSegment(request.url ?? '')
    const { command = '', isOnePage } = BUILDS[name] ?? {}
    if (!serve || !this.#built.has(name))
      return refuse(
        refusedWith('request.path-unknown', `Not found: these pages are not built; ${command} builds them`)
      )
    serve(request, response, () => {
      // A missing file is not a route of the page.
      if (!isOnePage || /^[^?]*\.\w+(?:\?|$)/.test(request.url ?? ''))
        return refuse(refusedWith('request.path-unknown', 'Not found: no page has this path'))
      request.url = `/${name}/index.html`
      serve(request, response, () =>
        refuse(refusedWith('request.path-unknown', 'Not found: the page is gone'))
      )
    })
  }
}

const firstSegment = (path: string): string => /^\/([^/?]*)/.exec(path)?.[1] ?? ''

/** The pages of the installation. All servers of a process share the list of their files. */
export const BUILT_PAGES = new Pages(join(PACKAGE_FOLDER, 'dist/pages'))
