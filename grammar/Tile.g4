grammar Tile;
file : EOF ;
WS : [ \t\r\n]+ -> skip ;
