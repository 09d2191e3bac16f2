// Syntax trees of templates, and the one error that reading or rendering a template can end in.

/** Text, integer of 64 bits, decimal, boolean. */
export type TemplateValue = string | bigint | number | boolean

export type BinaryOperator = '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%'

export type TemplateNode =
  /** Parts that are put together to one text. */
  | { readonly type: 'template'; readonly parts: readonly TemplateNode[] }
  | { readonly type: 'literal'; readonly value: TemplateValue }
  | { readonly type: 'variable'; readonly name: string; readonly position: number }
  | { readonly type: 'call'; readonly name: string; readonly operands: readonly TemplateNode[] }
  | { readonly type: 'unary'; readonly operator: '!' | '-'; readonly operand: TemplateNode }
  | {
      readonly type: 'binary'
      readonly operator: BinaryOperator
      readonly left: TemplateNode
      readonly right: TemplateNode
    }
  | {
      readonly type: 'conditional'
      readonly condition: TemplateNode
      readonly yes: TemplateNode
      readonly no: TemplateNode
    }

/** A template was refused, or cannot be rendered with these values. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}
