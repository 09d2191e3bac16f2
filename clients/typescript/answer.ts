/** Returns the text of the index header, '' without one. */
export const indexIn = (headers: Headers): string =>
  headers.get('X-Service-Index') ?? headers.get('X-Consul-Index') ?? ''

/** A response with status 2xx. Read its body once, with `json()`, `text()`, `bytes()` or from `body`. */
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

  /** The index of the result, or of the commit of a write; undefined without an index header. */
  get index(): number | undefined {
    const text = indexIn(this.headers)
    return /^\d+$/.test(text) ? Number(text) : undefined
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.response.body
  }

  text(): Promise<string> {
    return this.response.text()
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.response.arrayBuffer())
  }

  /** Parses the body without validating it. @throws SyntaxError */
  async json<Value = unknown>(): Promise<Value> {
    const value: Value = this.parse(await this.text())
    return value
  }
}
