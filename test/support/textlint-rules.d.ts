// Rules of textlint that come without types.
declare module 'textlint-rule-en-max-word-count' {
  const rule: import('@textlint/kernel').TextlintRuleModule
  export default rule
}

declare module 'textlint-rule-terminology' {
  const rule: import('@textlint/kernel').TextlintRuleModule
  export default rule
}

declare module 'textlint-rule-write-good' {
  const exported: { readonly default: import('@textlint/kernel').TextlintRuleModule }
  export default exported
}
