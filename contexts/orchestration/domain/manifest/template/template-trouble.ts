/**
 * Why one text of a template fails, and where. Thrown and caught within this folder only: outside it is a fault with line
 * and column. It names variables and functions, but never a value, which may be secret.
 */
export class TemplateTrouble extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.name = 'TemplateTrouble';
    this.at = at;
  }
}

/** Too much work or output: the rest of the template is not evaluated. */
export class TemplateExhausted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TemplateExhausted';
  }
}
