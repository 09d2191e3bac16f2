// What a server answered to one request.

/** Headers that tell an index, in the spelling of Annals and that of servers like it. */
const INDEX_HEADERS = ['X-Service-Index', 'X-Consul-Index'] as const

/** An answer whose status is 2xx. Its body is read once, as `json()`, `text()`, `bytes()`, or piece by piece from `body`. */
export class Answer {
  constructor(
    private readonly response: Response,
    private readonly parse: typeof JSON.parse
  ) {}

  get status(): number {
    return this.response.status
  }

  get headers(): Headers {
    return this.response.headers
  }

  /** The index of what the answer shows, or of the commit that the request made; undefined when it bears none. */
  get index(): number | undefined {
    for (const name of INDEX_HEADERS) {
      const text = this.headers.get(name)
      if (text !== null && /^\d+$/.test(text)) return Number(text)
    }
    return undefined
  }

  /** Null when the answer has no body. */
  get body(): ReadableStream<Uint8Array> | null {
    return this.response.body
  }

  text(): Promise<string> {
    return this.response.text()
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.response.arrayBuffer())
  }

  /** The body, which is believed to be a `Value`: nothing is checked. @throws SyntaxError when it is no JSON */
  async json<Value = unknown>(): Promise<Value> {
    const value: Value = this.parse(await this.text())
    return value
  }
}
