// The configuration keys of traces.
import * as Type from 'typebox'
import { fraction, map, section, text } from './values.js'

export const tracingConfig = section({
  endpoint: Type.Optional(
    text(
      'URL to which the traces of requests are sent: that of a collector which takes OTLP over HTTP, its path included.',
      {
        pattern: '^https?://[^\\s/]+/[^\\s]*$',
        rule: 'be a URL with a path, such as "http://127.0.0.1:4318/v1/traces"',
        otherwise: 'none: nothing is traced'
      }
    )
  ),
  headers: map(Type.String(), 'Headers that are sent with them, such as one that bears a key.', {
    secret: true,
    rule: 'map names of headers to texts, such as {"authorization": "…"}'
  }),
  sample_ratio: fraction(
    'How many of the requests are traced that come without a trace (`traceparent`); one that comes with a trace is traced if that is recorded.',
    { default: 1 }
  ),
  service_name: text('Name of the service in the traces (`service.name`).', { default: 'annals' })
})
