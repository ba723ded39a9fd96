// The Tile language: kernels written on blocks of data. docs/language.md says what it means; this
// file says what it looks like, and is the only place that does.
//
// Rules for whoever edits it:
//
//  * Every decision is made on one token, except those of the left-recursive rules `expr` and
//    `angleExpr`. That keeps parsing linear, and an error is found where it is: nothing but the
//    rule that needs a token can miss it. compiler/syntax/error_strategy.cpp turns the misses into
//    messages and names rules and tokens of this file.
//  * No rule recurses without a bracket, but for `lambda` and the middle of `? :`. The scan before
//    parsing (compiler/syntax/scan.cpp) counts exactly those, so that no input overflows the stack.
//  * Lists are written `x (',' x?)*`: a trailing comma is allowed. `f(a,,b)` passes here and is
//    reported by the AST builder.
grammar Tile;

// --- Items --------------------------------------------------------------------------------------

file : item* EOF ;

item : importItem | constant | function | kernel ;

importItem : 'import' STRING ';' ;

constant : 'const' name (':' type)? '=' expression ';' ;

// fn gelu(x, n: i32) { ... }: parameters without a type are generic.
function : 'fn' name '(' (functionParam (',' functionParam?)*)? ')' block ;

functionParam : name (':' type)? ;

// kernel NAME<const parameters>(parameters) clauses { body }
kernel : 'kernel' name constParams? '(' (param (',' param?)*)? ')' clauses block ;

constParams : '<' constParam (',' constParam?)* '>' ;

// The default is an expression without comparisons, shifts and logic: `>` closes the list.
// Parentheses lift that.
constParam : name ':' type ('=' angleExpr)? ;

param : name ':' type ;

// --- Clauses ------------------------------------------------------------------------------------

clauses : clause* ;

clause
  : 'variants' choice (',' choice)* ('if' expression)?
  | 'select' choice (',' choice)*
  | 'requires' expression
  | 'specialize' expression
  | 'grid' expression (',' expression)*
  | ('warps' | 'stages' | 'cluster' | 'max_regs') expression
  | 'option' name '=' expression
  ;

// BLOCK in [128, 256]
choice : name 'in' '[' expressions ']' ;

// --- Types --------------------------------------------------------------------------------------

type
  : 'ptr' '<' 'const'? type '>'
  | 'view' '<' 'const'? type ',' angleExpr '>'
  | 'tile' '<' type ',' '[' expressions? ']' '>'
  | typeName
  ;

// f32, `type`, a type parameter
typeName : ID | clauseWord ;

// --- Statements ---------------------------------------------------------------------------------

block : '{' statement* '}' ;

statement
  : 'let' pattern '=' expression ';'
  | 'var' name '=' expression ';'
  | 'for' name 'in' expression block
  | 'while' expression block
  | 'if' expression block elseBranch*
  | 'return' expression? ';'
  | block
  | expression (assignOp expression)? ';'
  ;

// let x = ..., let (a, b) = ...
pattern : name | '(' name (',' name?)* ')' ;

// Only the last may lack its condition; the AST builder checks that.
elseBranch : 'else' ('if' expression)? block ;

assignOp : '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '&=' | '^=' | '|=' | '<<=' | '>>=' ;

// --- Expressions --------------------------------------------------------------------------------

expressions : expression (',' expression?)* ;

expression : lambda | conditional ;

// |a, b| a + b
lambda : '|' name (',' name?)* '|' expression ;

// a ? b : c ? d : e groups to the right: a ? b : (c ? d : e). Written as a loop, because a chain of
// any length must not recurse.
conditional : expr ('?' expression ':' expr)* ;

// Strongest first; all group to the left. As in C, but `&` `^` `|` bind more strongly than
// comparisons, and comparisons do not chain: the AST builder rejects `a < b < c`.
expr
  : expr ('*' | '/' | '%') expr
  | expr ('+' | '-') expr
  | expr ('<<' | '>>') expr
  | expr '&' expr
  | expr '^' expr
  | expr '|' expr
  | expr ('==' | '!=' | '<' | '<=' | '>' | '>=') expr
  | expr '&&' expr
  | expr '||' expr
  | operand
  ;

// What may stand between `<` and `>` without parentheses.
angleExpr
  : angleExpr ('*' | '/' | '%') angleExpr
  | angleExpr ('+' | '-') angleExpr
  | operand
  ;

operand : prefixOp* primary postfix* ;

prefixOp : '-' | '+' | '!' | '~' ;

primary
  : literal
  | name
  | '(' expressions ')'     // a group, or with a comma a tuple
  | '[' expressions? ']'    // a list: shapes, axes
  ;

literal : INT | FLOAT | 'inf' | 'nan' | 'true' | 'false' | 'None' | STRING | UNTERMINATED_STRING
  | BAD_NUMBER ;

postfix
  : '(' (argument (',' argument?)*)? ')'
  | '[' subscript (',' subscript?)* ']'
  | '.' name
  ;

// A name before `=`: `other = 0`, `nan = propagate`; the AST builder checks that it is one.
argument : expression ('=' expression)? ;

// i, None, lo:hi, :, start +: length
subscript
  : expression (':' expression? | '+:' expression)?
  | ':' expression?
  ;

// Words with a meaning in clauses and types only are ordinary names elsewhere.
name : ID | clauseWord | 'ptr' | 'view' | 'tile' ;

clauseWord
  : 'variants' | 'select' | 'requires' | 'specialize' | 'grid' | 'warps' | 'stages' | 'cluster'
  | 'max_regs' | 'option'
  ;

// Never entered. It puts what cannot follow an expression into the follow set of the left-recursive
// rules. Their loops therefore end at any token, instead of failing inside the loop, and the rule
// that called them says what is missing.
afterExpression
  : expr ( ID | INT | FLOAT | STRING | BAD_NUMBER | 'inf' | 'nan' | 'true' | 'false' | 'None'
         | 'import' | 'const' | 'fn' | 'kernel' | 'let' | 'var' | 'for' | 'in' | 'while' | 'else'
         | 'return' | 'ptr' | 'view' | 'tile' | '!' | '~' | '}'
         | UNTERMINATED_STRING | UNTERMINATED_COMMENT | STRAY | EOF )
  | angleExpr ( ID | INT | FLOAT | STRING | BAD_NUMBER | 'inf' | 'nan' | 'true' | 'false' | 'None'
         | 'import' | 'const' | 'fn' | 'kernel' | 'let' | 'var' | 'for' | 'in' | 'while' | 'else'
         | 'return' | 'ptr' | 'view' | 'tile' | '!' | '~' | '}' | '{' | ')' | ']'
         | ';' | ':' | '+:' | '?' | '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '&=' | '^=' | '|='
         | '<<=' | '>>=' | '<<' | '>>' | '&' | '^' | '|' | '==' | '!=' | '<' | '<=' | '>=' | '&&'
         | '||' | 'if' | clauseWord
         | UNTERMINATED_STRING | UNTERMINATED_COMMENT | STRAY | EOF )
  ;

// --- Tokens -------------------------------------------------------------------------------------
// The lexer sees bytes; every byte of a character beyond ASCII looks like DEL. Nothing fails here:
// what is malformed has a token of its own, which the scan reports.

IMPORT : 'import' ;
CONST : 'const' ;
FN : 'fn' ;
KERNEL : 'kernel' ;
LET : 'let' ;
VAR : 'var' ;
FOR : 'for' ;
IN : 'in' ;
WHILE : 'while' ;
IF : 'if' ;
ELSE : 'else' ;
RETURN : 'return' ;
TRUE : 'true' ;
FALSE : 'false' ;
NONE : 'None' ;
INF : 'inf' ;
NAN_WORD : 'nan' ;

PTR : 'ptr' ;
VIEW : 'view' ;
TILE : 'tile' ;
VARIANTS : 'variants' ;
SELECT : 'select' ;
REQUIRES : 'requires' ;
SPECIALIZE : 'specialize' ;
GRID : 'grid' ;
WARPS : 'warps' ;
STAGES : 'stages' ;
CLUSTER : 'cluster' ;
MAX_REGS : 'max_regs' ;
OPTION : 'option' ;

LPAREN : '(' ;
RPAREN : ')' ;
LBRACK : '[' ;
RBRACK : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
COMMA : ',' ;
SEMI : ';' ;
DOT : '.' ;
COLON : ':' ;
WINDOW : '+:' ;
QUESTION : '?' ;

ASSIGN : '=' ;
ADD_ASSIGN : '+=' ;
SUB_ASSIGN : '-=' ;
MUL_ASSIGN : '*=' ;
DIV_ASSIGN : '/=' ;
REM_ASSIGN : '%=' ;
AND_ASSIGN : '&=' ;
XOR_ASSIGN : '^=' ;
OR_ASSIGN : '|=' ;
SHL_ASSIGN : '<<=' ;
SHR_ASSIGN : '>>=' ;

PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
AMP : '&' ;
CARET : '^' ;
PIPE : '|' ;
TILDE : '~' ;
BANG : '!' ;
SHL : '<<' ;
SHR : '>>' ;
EQ : '==' ;
NE : '!=' ;
LT : '<' ;
LE : '<=' ;
GT : '>' ;
GE : '>=' ;
AND_AND : '&&' ;
OR_OR : '||' ;

ID : [A-Za-z_] [A-Za-z0-9_]* ;

// 42, 1_000, 0x2a
INT : '0' | [1-9] [0-9_]* | '0' [xX] [0-9a-fA-F] [0-9a-fA-F_]* ;

// 1.0, 1e-5, .5
FLOAT
  : [0-9] [0-9_]* '.' [0-9] [0-9_]* EXPONENT?
  | [0-9] [0-9_]* EXPONENT
  | '.' [0-9] [0-9_]* EXPONENT?
  ;
fragment EXPONENT : [eE] [+-]? [0-9]+ ;

// Anything else that begins like a number: 1.0f, 0b1, 1.2.3, 08
BAD_NUMBER : '.'? [0-9] [0-9A-Za-z_.]* ;

STRING : '"' (~["\\\r\n] | '\\' ~[\r\n])* '"' ;
UNTERMINATED_STRING : '"' (~["\\\r\n] | '\\' ~[\r\n])* '\\'? ;

// `///` documents the next item; `////` is a line of slashes.
LINE_COMMENT : ('//' (~[/\r\n] ~[\r\n]*)? | '////' ~[\r\n]*) -> skip ;
DOC : '///' (~[/\r\n] ~[\r\n]*)? -> channel(HIDDEN) ;
BLOCK_COMMENT : '/*' (~'*' | '*'+ ~[*/])* '*'+ '/' -> skip ;
UNTERMINATED_COMMENT : '/*' (~'*' | '*'+ ~[*/])* '*'* ;

SPACE : [ \t\r\n\f]+ -> skip ;

STRAY : . ;
