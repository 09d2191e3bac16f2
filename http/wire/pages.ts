// Pages for people, which builds of their own make: each lies in a folder as it does in its path.
import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import sirv from 'sirv'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { plain, type RouteResponse } from './response.js'

/** The folder in which the builds leave the pages. */
export const PAGES_FOLDER = Symbol('folder of pages')

/** Where those of this program are. */
export const BUILT_PAGES = join(import.meta.dirname, '../../pages')

interface Build {
  /** The command that makes the pages. */
  readonly made: string
  /** `Content-Security-Policy` of its answers. */
  readonly policy: string
  /** Whether it is one page that finds by itself what to show at a path. */
  readonly isOnePage?: true
}

/** Which pages there may be, by the first segment of their paths. */
const BUILDS: Readonly<Record<string, Build>> = {
  // Each page says in itself what it may load.
  docs: { made: 'npm run site', policy: "frame-ancestors 'none'" },
  ui: {
    made: 'npm run build',
    policy:
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    isOnePage: true
  }
}

/** Files whose names tell what is in them: both builds put them into a folder of this name. */
const HASHED = /^\/\w+\/assets\//

type Serve = (request: IncomingMessage, response: ServerResponse, orElse: () => void) => void

/** What was built before the server started; nobody's rights are asked. */
@scoped(Lifecycle.ContainerScoped)
export class Pages {
  /** Undefined when nothing was built. */
  readonly #serve: Serve | undefined
  readonly #built: ReadonlySet<string>

  constructor(@inject(PAGES_FOLDER) folder: string) {
    this.#built = new Set(Object.keys(BUILDS).filter(name => existsSync(join(folder, name))))
    // It reads now which files there are, and asks the disk for no other.
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

  /** The paths of the router below which pages are. */
  get paths(): readonly string[] {
    return Object.keys(BUILDS).flatMap(name => [`/${name}`, `/${name}/*`])
  }

  /** Sends a page, or says by `refuse` that there is none. */
  show(request: IncomingMessage, response: ServerResponse, refuse: (answer: RouteResponse) => void): void {
    const serve = this.#serve
    const name = firstSegment(request.url ?? '')
    const { made = '', isOnePage } = BUILDS[name] ?? {}
    if (!serve || !this.#built.has(name))
      return refuse(plain(404, `Not found: these pages are not built; ${made} builds them`))
    serve(request, response, () => {
      // A file that is not there is no path of the page.
      if (!isOnePage || /^[^?]*\.\w+(?:\?|$)/.test(request.url ?? ''))
        return refuse(plain(404, 'Not found: no page has this path'))
      request.url = `/${name}/index.html`
      serve(request, response, () => refuse(plain(404, 'Not found: the page is gone')))
    })
  }
}

const firstSegment = (path: string): string => /^\/([^/?]*)/.exec(path)?.[1] ?? ''
